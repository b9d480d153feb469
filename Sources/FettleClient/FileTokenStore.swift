#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Keeps tokens in a file that only its owner can read, in a folder that only its owner can enter. Prefer a keychain
/// where there is one.
public struct FileTokenStore: TokenStore {
  private let path: String

  /// Creates a store in a file.
  public init(path: String) { self.path = path }

  /// Reads the file.
  public func load() throws -> Tokens? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    do {
      return try JSONDecoder().decode(Tokens.self, from: Data(contentsOf: URL(filePath: path)))
    } catch {
      throw ClientError(.store, "the tokens in \(path) cannot be read: \(error)", hint: "sign in again")
    }
  }

  /// Replaces the file in one step, or removes it.
  public func save(_ tokens: Tokens?) throws {
    guard let tokens else {
      if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
      return
    }
    do {
      let data = try JSONEncoder().encode(tokens)
      try data.write(to: URL(filePath: path), options: .atomic)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    } catch {
      throw ClientError(.store, "the tokens cannot be written to \(path): \(error)")
    }
  }
}
