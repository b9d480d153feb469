internal import Domain
internal import Secrets

/// An identity provider as the file of `fettle serve --identity-providers` describes it.
///
/// ```yaml
/// providers:
///   google:
///     client_ids: [1234.apps.googleusercontent.com]
///     client_secret_file: google.secret
///   apple:
///     client_ids: [example.fettle.web, example.fettle.app]
///     key_file: AuthKey_ABC123DEFG.p8
///     key_id: ABC123DEFG
///     team_id: DEF123GHIJ
///   work:
///     label: Example Inc.
///     issuer: https://id.example.com
///     client_ids: [fettle]
/// ```
package struct IssuerEntry: NamedDecodable, Sendable {
  /// The file of all providers.
  package struct File: Decodable, Sendable {
    package let providers: [IssuerEntry]

    package init(from decoder: any Decoder) throws {
      providers = try StrictObject(decoder, keys: ["providers"]).named("providers")
    }
  }

  private static let keys = [
    "name", "label", "issuer", "client_ids", "algorithms", "authorization_endpoint", "token_endpoint",
    "userinfo_endpoint", "jwks_uri", "scopes", "client_secret_file", "key_file", "key_id", "team_id",
    "token_endpoint_auth_method", "response_mode", "trusts_email", "email_is_verified", "email_claim",
  ]

  private let issuer: Issuer
  private let secretFile: String?
  private let keyFile: String?
  private let keyID: String?
  private let team: String?

  package init(name given: String?, from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: Self.keys)
    let name: String = try given ?? object.required("name")
    let known = Issuer.Known(rawValue: name)
    guard (1...32).contains(name.utf8.count), !Self.reserved.contains(name),
      name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D })
    else {
      throw object.invalid("name", "\(Quoted(name)) is not a name of a provider: use a-z, 0-9 and -")
    }
    let address = try object.optional("issuer") ?? known?.issuer ?? object.required("issuer")
    var endpoints = Issuer.Endpoints()
    endpoints.authorization = try object.optional("authorization_endpoint")
    endpoints.token = try object.optional("token_endpoint")
    endpoints.userinfo = try object.optional("userinfo_endpoint")
    endpoints.keys = try object.optional("jwks_uri")
    let urls = [
      ("issuer", address), ("authorization_endpoint", endpoints.authorization),
      ("token_endpoint", endpoints.token), ("userinfo_endpoint", endpoints.userinfo),
      ("jwks_uri", endpoints.keys),
    ]
    for (key, url) in urls {
      if let fault = url.flatMap(ProviderURL.fault) { throw object.invalid(key, "\(key): \(fault)") }
    }
    let clientIDs: [String] = try object.required("client_ids")
    guard !clientIDs.isEmpty, clientIDs.allSatisfy({ !$0.isEmpty }) else {
      throw object.invalid("client_ids", "client_ids names no client")
    }
    let names: [String]? = try object.optional("algorithms")
    let algorithms = try names.map { names in
      Set(
        try names.map { name in
          guard let algorithm = Issuer.Algorithm(rawValue: name) else {
            throw object.invalid("algorithms", "\(Quoted(name)) is not allowed", hint: "use RS256 or ES256")
          }
          return algorithm
        }
      )
    }
    let mode: String? = try object.optional("response_mode")
    guard mode == nil || mode == "query" || mode == "form_post" else {
      throw object.invalid("response_mode", "response_mode is query or form_post")
    }
    let method: String? = try object.optional("token_endpoint_auth_method")
    let authentication = method.flatMap(ClientAuthentication.init)
    guard method == nil || authentication != nil else {
      throw object.invalid(
        "token_endpoint_auth_method",
        "token_endpoint_auth_method is client_secret_basic or client_secret_post"
      )
    }
    secretFile = try object.optional("client_secret_file")
    keyFile = try object.optional("key_file")
    keyID = try object.optional("key_id")
    team = try object.optional("team_id")
    guard secretFile == nil || keyFile == nil else {
      throw object.invalid("key_file", "a provider has a client_secret_file or a key_file, not both")
    }
    guard keyFile == nil || keyID != nil && team != nil else {
      throw object.invalid("key_file", "a key_file requires key_id and team_id")
    }
    issuer = Issuer(
      name: name,
      label: try object.optional("label") ?? known?.label,
      issuer: address,
      aliases: known.map { address == $0.issuer ? $0.aliases : [] } ?? [],
      clientIDs: clientIDs,
      algorithms: algorithms ?? known?.algorithms ?? Set(Issuer.Algorithm.allCases),
      endpoints: endpoints,
      scopes: try object.optional("scopes") ?? known?.scopes ?? ["openid", "email", "profile"],
      answersByForm: mode.map { $0 == "form_post" } ?? known?.answersByForm ?? false,
      authentication: authentication,
      emailTrust: try Self.emailTrust(object)
    )
  }

  private static func emailTrust(_ object: StrictObject) throws -> EmailTrust {
    let trust = EmailTrust(
      claim: try object.value("email_claim", default: "email"),
      vouches: try object.value("email_is_verified", default: false),
      isTrusted: try object.value("trusts_email", default: true)
    )
    guard (1...64).contains(trust.claim.utf8.count) else {
      throw object.invalid("email_claim", "email_claim is the name of a claim, such as preferred_username")
    }
    guard trust.isTrusted || !trust.vouches else {
      throw object.invalid("email_is_verified", "email_is_verified: true contradicts trusts_email: false")
    }
    return trust
  }

  /// Returns the provider, with the secrets that the entry's files hold.
  ///
  /// - Parameters:
  ///   - folder: the folder of the file, for relative paths.
  ///   - credentials: systemd's `CREDENTIALS_DIRECTORY`; nil for none.
  /// - Throws: ``SecretsError``, or `invalid_document` for a key that cannot sign.
  package func issuer(in folder: String, credentials: String?) throws -> Issuer {
    func read(_ path: String) throws -> Issuer.Secret {
      Issuer.Secret(
        try SecretFile.read(path.hasPrefix("/") ? path : "\(folder)/\(path)", credentials: credentials)
      )
    }
    var proof = Issuer.ClientProof.none
    if let secretFile {
      proof = .secret(try read(secretFile))
    } else if let keyFile, let keyID, let team {
      let key = Issuer.ClientKey(id: keyID, team: team, pem: try read(keyFile))
      if let fault = ClientSecret.fault(in: key) {
        throw DomainError(.invalidDocument, "\(keyFile): \(fault)")
      }
      proof = .key(key)
    }
    return issuer.proven(by: proof)
  }

  /// The names that are part of other routes below `/v1/auth`.
  private static let reserved: Set = [
    "providers", "nonce", "second-factor", "sign-up", "sign-in", "sign-out", "refresh", "password", "guest",
    "visitor", "verify", "reset", "session", "sessions", "token", "email",
  ]
}
