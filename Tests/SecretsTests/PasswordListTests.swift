import Foundation
import Testing

@testable import Secrets

@Suite struct PasswordListTests {
  private func list(_ text: String) throws -> PasswordList {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try PasswordList(path: path)
  }

  @Test func `a list has the passwords of its lines, plain or as SHA-1`() throws {
    let list = try list(
      "the first line\r\n\n9D3C6FC84B5F7AC0DF9F7E0EBF5D3C4CE6BE9D73:42\nlast line"
    )
    #expect(list.count == 3)
    for password in ["the first line", "The First Line", "last line"] { #expect(list.contains(password)) }
    for password in ["", "the first line\r", "9D3C6FC84B5F7AC0DF9F7E0EBF5D3C4CE6BE9D73:42"] {
      #expect(!list.contains(password))
    }
  }

  @Test func `a hashed line excludes its password`() throws {
    var stream = SHA1Stream()
    stream.update(Array("en helt egen mening".utf8))
    let hash = Hex.encode(stream.digest())
    for line in [hash, hash.uppercased(), "\(hash.uppercased()):17"] {
      #expect(try list(line).contains("en helt egen mening"))
    }
  }

  @Test func `a file that is missing or empty is refused, and none need be named`() throws {
    #expect(throws: SecretsError.self) { try PasswordList(path: "/nowhere/list") }
    #expect(throws: SecretsError.self) { try list("\n\n") }
    #expect(try PasswordList.named(in: [:]) == nil)
    #expect(throws: SecretsError.self) {
      try PasswordList.named(in: [PasswordList.variable: "/nowhere/list"])
    }
  }

  @Test func `a listed password is refused when it is chosen, and still verifies`() async throws {
    let pool = ThreadPool(threads: 1, queueLimit: 8)
    let password = "en helt egen mening"
    let hash = try await PasswordHasher(cost: 1, pool: pool).hash(password)
    let hasher = PasswordHasher(cost: 1, pool: pool, excluded: try list(password))
    let error = #expect(throws: SecretsError.self) { try hasher.checkNew(password, context: []) }
    #expect(error?.kind == .unacceptablePassword)
    #expect(try await hasher.verify(password, against: hash))
  }
}
