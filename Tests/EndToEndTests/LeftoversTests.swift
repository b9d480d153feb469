import EndToEndFixtures
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct LeftoversTests {
  @Test func `the leftovers of a killed run are ended and removed`() async throws {
    // The remains of a killed run: a folder in /tmp with a running embedded server and a worker.
    let folder = URL(filePath: "/tmp/fettle-left-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o711]
    )
    // Its output is stored elsewhere, to be readable after the folder is removed.
    let beside = Leftovers.newFolder()
    try FileManager.default.createDirectory(at: beside, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: beside) }  // otherwise the next run removes it
    let environment = ["PATH": "/usr/bin:/bin", "FETTLE_HOME": "\(folder.path)/home"]
    let up = try Running(
      FettleProcess.executable,
      ["up", "--no-demo"],
      environment: environment,
      input: "",
      folder: beside
    )
    try await up.says("Fettle is up")
    #expect(Leftovers.processes(at: folder).contains(up.id))
    Leftovers.clear(folder)
    #expect(try await up.end().status == -SIGKILL)
    #expect(!FileManager.default.fileExists(atPath: folder.path))
    #expect(Leftovers.processes(at: folder).isEmpty)
  }
}
