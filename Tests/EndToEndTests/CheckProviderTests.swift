import EndToEndFixtures
import Foundation
import SignInFixtures
import Testing

/// `fettle api check-provider` against providers on this machine.
@Suite(.serialized, .timeLimit(.minutes(60))) struct CheckProviderTests {
  private func check(
    _ shell: Shell,
    _ issuer: ShapedIssuer,
    secret: String? = nil
  ) async throws -> FettleProcess.Outcome {
    let name = "\(issuer.shape.name).secret"
    let own = try await issuer.secret()
    let path = try shell.file(name, secret ?? own)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let file = try shell.file("providers.yaml", "providers:\n" + issuer.entry(secretFile: name) + "\n")
    return try await shell.fettle(
      "api",
      "check-provider",
      issuer.shape.name,
      "--identity-providers",
      file,
      "--output",
      "json"
    )
  }

  @Test func `a provider that works is found to work, and a wrong secret is found`() async throws {
    try await Shell.open { shell in
      for shape in ProviderShape.all
      where ["authelia", "authentik", "basic-only", "apple"].contains(shape.name) {
        let served = try await ServedIssuer.open(shape)
        defer { served.stop() }
        let fine = try await check(shell, served.issuer)
        #expect(fine.status == 0, "\(shape.name): \(fine.output)\(fine.errors)")
        #expect(fine.output.contains("discovery") && !fine.output.contains("failed"))
        guard shape.name != "apple" else { continue }
        let wrong = try await check(shell, served.issuer, secret: "another")
        #expect(
          wrong.status == 1 && wrong.output.contains("invalid_client"),
          "\(wrong.output)\(wrong.errors)"
        )
      }
    }
  }

  @Test func `a provider that does not answer, and a name that the file lacks`() async throws {
    try await Shell.open { shell in
      let served = try await ServedIssuer.open(ProviderShape("gone"))
      served.stop()
      let gone = try await check(shell, served.issuer)
      #expect(gone.status == 1 && gone.output.contains("failed"), "\(gone.output)\(gone.errors)")
      let file = "\(shell.folder.path)/providers.yaml"
      let other = try await shell.fettle("api", "check-provider", "gon", "--identity-providers", file)
      #expect(other.status == 3 && other.errors.contains("use one of: gone"), "\(other.errors)")
    }
  }
}
