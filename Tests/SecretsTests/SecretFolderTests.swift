import Foundation
import Testing

@testable import Secrets

@Suite struct SecretFolderTests {
  /// Runs a body with a folder that has the secret `grid` of `acme`.
  private func withSecret(_ lines: String, _ body: (SecretFolder) throws -> Void) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "fettle-secrets-\(UUID())")
    let company = root.appending(path: "acme")
    try FileManager.default.createDirectory(at: company, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: root) }
    let file = company.appending(path: "grid").path
    try #require(
      FileManager.default.createFile(
        atPath: file,
        contents: Data(lines.utf8),
        attributes: [.posixPermissions: 0o600]
      )
    )
    try body(SecretFolder(path: root.path))
  }

  @Test func `a secret without addresses is given for any`() throws {
    try withSecret("s3cr3t\n") { folder in
      let secret = try folder.read("grid", company: "acme", for: "https://anywhere.example/")
      #expect(secret == "s3cr3t")
    }
  }

  @Test func `a secret with addresses is given for them only`() throws {
    try withSecret("s3cr3t\nhttps://grid.example\nhttps://other.example/api/\n") { folder in
      for address in [
        "https://grid.example", "https://grid.example/readings", "https://other.example/api/v1",
      ] {
        let secret = try folder.read("grid", company: "acme", for: address)
        #expect(secret == "s3cr3t", "\(address)")
      }
      for address in [
        "https://grid.example.evil.example/", "https://evil.example/https://grid.example/",
        "http://grid.example/", "https://other.example/apis", "https://grid.example:444/",
      ] {
        let error = #expect(throws: SecretsError.self, "\(address)") {
          _ = try folder.read("grid", company: "acme", for: address)
        }
        #expect(error?.kind == .secretBound, "\(address)")
      }
    }
  }
}
