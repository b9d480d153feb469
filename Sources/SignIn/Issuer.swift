package import FoundationEssentials
internal import JWTKit

/// An identity provider whose tokens are accepted.
package struct Issuer: Sendable, Hashable {
  /// The name in URLs, such as `google`.
  package let name: String
  /// The `iss` of its tokens.
  package let issuer: String
}
