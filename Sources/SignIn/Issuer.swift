/// An identity provider whose tokens are accepted, as the operator configures it.
package struct Issuer: Sendable, Equatable {
  /// A signature algorithm. No other is ever accepted, whatever a token says.
  package enum Algorithm: String, Sendable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on the curve P-256 with SHA-256.
    case es256 = "ES256"
  }

  /// The proof that this server is the client, for the exchange of codes.
  package enum ClientProof: Sendable, Equatable {
    /// None: the provider knows the server as a public client, which PKCE protects.
    case none
    /// A secret that the provider issued.
    case secret(Secret)
    /// A token that the server signs with a key of the provider's, as Apple requires.
    case key(ClientKey)
  }

  /// A text that is never printed.
  package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    let text: String

    package init(_ text: String) { self.text = text }

    package var description: String { "secret (not shown)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
  }

  /// A key with which the server signs its client secrets.
  package struct ClientKey: Sendable, Equatable {
    /// The id of the key at the provider.
    package let id: String
    /// The id of the team that owns the key.
    package let team: String
    /// The private key for ES256, as PEM (PKCS #8).
    package let pem: Secret

    package init(id: String, team: String, pem: Secret) {
      self.id = id
      self.team = team
      self.pem = pem
    }
  }

  /// The addresses of the provider; those that are nil are read from its discovery document.
  package struct Endpoints: Sendable, Equatable {
    package var authorization: String?
    package var token: String?
    package var userinfo: String?
    package var keys: String?

    package init(
      authorization: String? = nil,
      token: String? = nil,
      userinfo: String? = nil,
      keys: String? = nil
    ) {
      self.authorization = authorization
      self.token = token
      self.userinfo = userinfo
      self.keys = keys
    }

    /// True if an address that every sign-in needs is to be read from the discovery document.
    var needDiscovery: Bool { keys == nil || authorization == nil || token == nil }
  }

  /// The name in URLs, such as `google`.
  package let name: String
  /// The name that people read, such as “Google”.
  package let label: String
  /// The `iss` of its tokens, and the beginning of the address of its discovery document.
  package let issuer: String
  /// Other spellings of `iss`, such as Google's without `https://`. Identities are stored under ``issuer``.
  package let aliases: [String]
  /// The client ids of this installation: one of them must be the token's audience. The first one is the
  /// server's own, for sign-in with a browser; the others are those of native apps.
  package let clientIDs: [String]
  /// The algorithms of its tokens.
  package let algorithms: Set<Algorithm>
  package let endpoints: Endpoints
  package let scopes: [String]
  package let proof: ClientProof
  /// True if the provider sends its answer as a form, as Apple does when it is asked for the address.
  package let answersByForm: Bool
  /// The way in which the server proves itself; nil to follow the discovery document.
  package let authentication: ClientAuthentication?
  /// The claims of the provider about addresses that are believed.
  package let emailTrust: EmailTrust

  package init(
    name: String,
    label: String? = nil,
    issuer: String,
    aliases: [String] = [],
    clientIDs: [String],
    algorithms: Set<Algorithm> = Set(Algorithm.allCases),
    endpoints: Endpoints = Endpoints(),
    scopes: [String] = ["openid", "email", "profile"],
    proof: ClientProof = .none,
    answersByForm: Bool = false,
    authentication: ClientAuthentication? = nil,
    emailTrust: EmailTrust = EmailTrust()
  ) {
    self.name = name
    self.label = label ?? name
    self.issuer = issuer
    self.aliases = aliases
    self.clientIDs = clientIDs
    self.algorithms = algorithms
    self.endpoints = endpoints
    self.scopes = scopes
    self.proof = proof
    self.answersByForm = answersByForm
    self.authentication = authentication
    self.emailTrust = emailTrust
  }

  /// True if two issuers are the same: they differ at most in a slash at the end, which people leave out. The tokens
  /// of a provider are compared with its own spelling, which its discovery document has.
  static func isSame(_ left: String, _ right: String) -> Bool {
    func stem(_ issuer: String) -> Substring { issuer.hasSuffix("/") ? issuer.dropLast() : issuer[...] }
    return stem(left) == stem(right)
  }
}

extension Issuer {
  /// Returns the provider with another proof.
  func proven(by proof: ClientProof) -> Issuer {
    Issuer(
      name: name,
      label: label,
      issuer: issuer,
      aliases: aliases,
      clientIDs: clientIDs,
      algorithms: algorithms,
      endpoints: endpoints,
      scopes: scopes,
      proof: proof,
      answersByForm: answersByForm,
      authentication: authentication,
      emailTrust: emailTrust
    )
  }
}
