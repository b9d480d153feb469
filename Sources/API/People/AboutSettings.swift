package import Domain

/// The facts about an installation that `GET /v1/about` publishes.
package struct AboutSettings: Sendable {
  /// The version of the program, such as `1.4.0`.
  package let version: String
  /// The ways to sign in, such as `password`, `google` and `guest`.
  package let signIn: [String]
  /// The configuration of clients, such as ids of applications at identity providers; never a secret.
  package let client: JSONObject

  package init(version: String, signIn: [String], client: JSONObject = [:]) {
    self.version = version
    self.signIn = signIn
    self.client = client
  }
}
