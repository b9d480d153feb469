package import Foundation
internal import TestDatabase
internal import TestTools

/// A started process that may still be running.
package final class Running: Sendable {
  /// The process id.
  package let id: Int32

  private let output: URL
  private let errors: URL
  private let ended: Task<Int32, Never>

  package init(
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
    // Files instead of pipes: a process blocks on a full pipe that is not read.
    try Data(input.utf8).write(to: given)
    let child = try Child(
      program.path,
      arguments,
      environment: environment.merging(Sanitizer.options) { own, _ in own },
      folder: folder.path,
      input: given.path,
      output: output.path,
      errors: errors.path
    )
    id = child.id
    ended = child.ended()
  }

  /// True until the process has ended.
  package var isAlive: Bool { kill(id, 0) == 0 }

  /// The output on stderr so far.
  package var said: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

  /// The output on stdout so far.
  package var printed: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

  /// Waits for a text on stderr. Throws ``EndedEarly`` if the process ends first.
  package func says(_ text: String, fileID: String = #fileID, line: Int = #line) async throws {
    try await until(fileID: fileID, line: line) {
      // Checked before the text, since the process may write its last output just before it ends.
      let isOver = kill(id, 0) != 0
      if said.contains(text) { return true }
      if isOver { throw EndedEarly(waitingFor: text, said: said) }
      return false
    }
  }

  /// The process ended before it wrote the expected text.
  package struct EndedEarly: Error {
    package let waitingFor: String
    package let said: String
  }

  /// Sends a signal to the process.
  package func signal(_ number: Int32) { kill(id, number) }

  /// Waits for the process to end. The status is negative if a signal ended it.
  package func end() async throws -> FettleProcess.Outcome {
    let status = await ended.value
    return FettleProcess.Outcome(
      status: status,
      output: try String(contentsOf: output, encoding: .utf8),
      errors: try String(contentsOf: errors, encoding: .utf8)
    )
  }
}
