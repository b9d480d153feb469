#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The tokens of a session.
public struct Tokens: Sendable, Hashable, Codable {
  /// Authenticates requests for some minutes.
  public var access: String
  /// Is exchanged for the next tokens.
  public var refresh: String
  /// The end of the access token by this device's clock.
  public var expiresAt: Date

  /// Creates tokens.
  public init(access: String, refresh: String, expiresAt: Date) {
    self.access = access
    self.refresh = refresh
    self.expiresAt = expiresAt
  }
}

/// Keeps the tokens of a session across restarts, such as in a keychain.
public protocol TokenStore: Sendable {
  /// Returns the tokens; nil if nobody is signed in.
  func load() throws -> Tokens?

  /// Stores tokens durably before it returns; nil removes them.
  func save(_ tokens: Tokens?) throws
}
