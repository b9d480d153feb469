import Foundation
import Testing

/// The queue under faults; `deploy/chaos --rounds 1000` runs longer.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ChaosTests {
  @Test func `random faults of workers for 30 rounds violate no guarantee`() throws {
    let outcome = try run("--rounds", "30", "--jobs", "16")
    #expect(outcome.status == 0, "\(outcome.text)")
    #expect(outcome.text.contains("violated guarantees"), "\(outcome.text)")
  }

  @Test func `killing PostgreSQL with all its processes violates no guarantee`() throws {
    let outcome = try run("--rounds", "3", "--jobs", "16", "--kill-server-every", "1")
    #expect(outcome.status == 0, "\(outcome.text)")
  }

  /// Runs the command beside this test bundle, and returns its output.
  private func run(_ arguments: String...) throws -> (status: Int32, text: String) {
    let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let process = Process()
    let pipe = Pipe()
    process.executableURL = folder.appending(path: "fettle-chaos")
    process.arguments = ["run"] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    // Workers write to files of their own, so this ends.
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}
