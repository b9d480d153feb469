package import Domain

/// The behaviour of an identity provider that people use, as far as it matters to a sign-in.
package struct ProviderShape: Sendable, CustomStringConvertible {
  /// The name of the provider, which is also its name in the file of providers.
  package let name: String
  /// The path of the issuer, which follows the origin.
  package var path = ""
  /// The members of the discovery document beyond the addresses; null removes one.
  package var discovery: JSONObject = [:]
  /// The ways of client authentication that the token endpoint really accepts.
  package var accepted = ["client_secret_basic", "client_secret_post"]
  /// The claims of the ID token beyond issuer, subject, audience, times and nonce.
  package var claims: JSONObject = [:]
  /// The claims of userinfo beyond the subject; nil for a provider without userinfo.
  package var userinfo: JSONObject?
  /// The audiences of the ID token beside the client.
  package var audiences: [String] = []
  /// True if the ID token names the client as the authorized party.
  package var namesParty = false
  /// True if the key is one for ES256.
  package var isElliptic = false
  /// False if neither the key nor the token names the id of the key.
  package var namesKey = true
  /// Further lines of the provider's entry in the file, as an operator writes them.
  package var settings: [String] = []
  /// The client's id and its secret at the provider.
  package var client = (id: "fettle", secret: "s3cret")

  package init(_ name: String, _ change: (inout ProviderShape) -> Void = { _ in }) {
    self.name = name
    change(&self)
  }

  package var description: String { name }

  private static let verified: JSONObject = ["email": "{email}", "email_verified": true, "name": "Ana Berg"]

  /// The providers that people have. Each of them signs a stranger with a verified address up.
  package static let all: [ProviderShape] = [
    ProviderShape("google") { shape in
      shape.discovery = [
        "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"]
      ]
      shape.claims = verified
      shape.namesParty = true
    },
    ProviderShape("apple") { shape in
      // The secret is a token that the server signs; the address is said to be verified by a text.
      shape.discovery = [
        "token_endpoint_auth_methods_supported": ["client_secret_post"], "userinfo_endpoint": .null,
      ]
      shape.accepted = ["client_secret_post"]
      shape.claims = ["email": "{email}", "email_verified": "true"]
    },
    ProviderShape("entra") { shape in
      shape.path = "/0000-tenant/v2.0"
      shape.discovery = [
        "token_endpoint_auth_methods_supported": [
          "client_secret_post", "private_key_jwt", "client_secret_basic",
        ]
      ]
      shape.claims = ["email": "{email}", "name": "Ana Berg", "preferred_username": "ana@corp.example"]
      shape.settings = ["email_is_verified: true"]
    },
    ProviderShape("entra-upn") { shape in
      shape.path = "/1111-tenant/v2.0"
      shape.claims = ["preferred_username": "{email}", "name": "Ana Berg"]
      shape.settings = ["email_is_verified: true", "email_claim: preferred_username"]
    },
    ProviderShape("okta") { shape in
      // With an access token, the ID token is thin.
      shape.discovery = [
        "token_endpoint_auth_methods_supported": [
          "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none",
        ]
      ]
      shape.claims = ["preferred_username": "{email}", "ver": 1]
      shape.userinfo = verified
    },
    ProviderShape("authelia") { shape in
      // Since 4.39, claims are only at userinfo, and a client has one way of authentication, basic by default.
      shape.discovery = [
        "token_endpoint_auth_methods_supported": [
          "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none",
        ]
      ]
      shape.accepted = ["client_secret_basic"]
      shape.claims = ["amr": ["pwd"]]
      shape.userinfo = verified
    },
    ProviderShape("keycloak") { shape in
      shape.path = "/realms/staff"
      shape.discovery = ["authorization_response_iss_parameter_supported": true]
      shape.claims = verified
      shape.namesParty = true
    },
    ProviderShape("authentik") { shape in
      // The issuer ends with a slash, which people leave out.
      shape.path = "/application/o/fettle/"
      shape.claims = verified
      shape.userinfo = verified
    },
    ProviderShape("zitadel") { shape in
      shape.audiences = ["236647088211886082", "236647201860747266@fettle"]
      shape.namesParty = true
      shape.claims = ["email": "{email}"]
      shape.userinfo = verified
    },
    ProviderShape("gitlab") { shape in
      shape.discovery = [
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"]
      ]
      shape.claims = ["email": "{email}", "email_verified": true]
      shape.userinfo = verified
    },
    ProviderShape("basic-only") { shape in
      // The document is silent, so that the specification's default holds.
      shape.discovery = ["token_endpoint_auth_methods_supported": .null]
      shape.accepted = ["client_secret_basic"]
      shape.claims = verified
      shape.client = (id: "fettle:web & more", secret: "p%s+s w/rd:ü")
    },
    ProviderShape("post-only") { shape in
      shape.discovery = ["token_endpoint_auth_methods_supported": ["client_secret_post"]]
      shape.accepted = ["client_secret_post"]
      shape.claims = verified
      shape.client = (id: "fettle:web & more", secret: "p%s+s w/rd:ü")
    },
    ProviderShape("silent-post") { shape in
      shape.discovery = ["token_endpoint_auth_methods_supported": .null]
      shape.accepted = ["client_secret_post"]
      shape.claims = verified
      shape.settings = ["token_endpoint_auth_method: client_secret_post"]
    },
    ProviderShape("no-key-id") { shape in
      shape.namesKey = false
      shape.claims = verified
    },
    ProviderShape("no-key-id-es256") { shape in
      shape.namesKey = false
      shape.isElliptic = true
      shape.claims = verified
    },
  ]
}
