import Foundation
import Testing

/// The queue under fire; `deploy/chaos --rounds 1000` is the same for longer.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ChaosTests {
  @Test func `workers are killed, stopped and ended at random for 30 rounds, and every promise is kept`()
    throws
  {
    let outcome = try run("--rounds", "30", "--jobs", "16")
    #expect(outcome.status == 0, "\(outcome.text)")
    #expect(outcome.text.contains("promises broken"), "\(outcome.text)")
  }

  @Test func `PostgreSQL is killed with all its processes too, and every promise is kept`() throws {
    let outcome = try run("--rounds", "3", "--jobs", "16", "--kill-server-every", "1")
    #expect(outcome.status == 0, "\(outcome.text)")
  }

  /// Runs the command beside this test bundle, and gives what it said.
  private func run(_ arguments: String...) throws -> (status: Int32, text: String) {
    let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let process = Process()
    let said = Pipe()
    process.executableURL = folder.appending(path: "fettle-chaos")
    process.arguments = ["run"] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = said
    process.standardError = said
    try process.run()
    // To its end: workers have files of their own.
    let text = String(decoding: try said.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}
