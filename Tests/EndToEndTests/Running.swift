import Foundation
import TestDatabase

/// A process that was started and may still run.
final class Running: Sendable {
  /// Its process id.
  let id: Int32

  private let output: URL
  private let errors: URL
  private let ended: Task<Int32, Never>

  init(
    _ program: URL,
    _ arguments: [String],
    environment: [String: String],
    input: String,
    folder: URL
  ) throws {
    let name = UUID().uuidString
    output = folder.appending(path: "\(name).out")
    errors = folder.appending(path: "\(name).err")
    let given = folder.appending(path: "\(name).in")
    // Files and not pipes: a pipe that nobody reads stops the process when it is full.
    for file in [output, errors] { try Data().write(to: file) }
    try Data(input.utf8).write(to: given)
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = environment
    process.currentDirectoryURL = folder
    process.standardInput = try FileHandle(forReadingFrom: given)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    let (ends, end) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { process in
      end.yield(process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
      end.finish()
    }
    try process.run()
    id = process.processIdentifier
    ended = Task { await ends.first { _ in true } ?? -1 }
  }

  /// What it has said so far on stderr.
  var said: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

  /// What it has printed so far on stdout.
  var printed: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

  /// Waits until it has said something on stderr, and not any longer than it runs.
  func says(_ text: String, fileID: String = #fileID, line: Int = #line) async throws {
    try await until(fileID: fileID, line: line) {
      // Asked in this order: what it says last is said before it ends.
      let isOver = kill(id, 0) != 0
      if said.contains(text) { return true }
      if isOver { throw EndedEarly(waitingFor: text, said: said) }
      return false
    }
  }

  /// A process was over before it had said what was waited for.
  struct EndedEarly: Error {
    let waitingFor: String
    let said: String
  }

  /// Sends it a signal.
  func signal(_ number: Int32) { kill(id, number) }

  /// Waits for its end; the status is negative when a signal ended it.
  func end() async throws -> FettleProcess.Outcome {
    let status = await ended.value
    return FettleProcess.Outcome(
      status: status,
      output: try String(contentsOf: output, encoding: .utf8),
      errors: try String(contentsOf: errors, encoding: .utf8)
    )
  }
}
