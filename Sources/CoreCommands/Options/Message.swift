package import Store
internal import Terminal

/// Messages on stderr, so that results on stdout can be piped.
package enum Message {
  /// Writes a line; on a terminal, lines that end between words and never in a command to copy.
  package static func tell(_ text: String) {
    var out = BufferedOutput(descriptor: 2)
    let screen = Screen.errors(color: .never)
    let lines = screen.width.map { width in
      text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { DisplayText.folded(String($0), to: width) }.joined(separator: "\n")
    }
    try? out.write((lines ?? text) + "\n")  // a closed stderr must not stop the command
    try? out.flush()
  }

  /// Reports the progress of a migrator.
  @Sendable package static func tell(_ event: Migrator.Event) {
    switch event {
    case .waitingForAnother: tell("waiting for another migration to finish")
    case .applying: break
    case .applied(let migration, let milliseconds):
      tell("applied \(migration.path) of \(migration.app) (\(milliseconds) ms)")
    case .appliedRoutines(let app, let count, let milliseconds):
      tell("applied \(count) functions and views of \(app) (\(milliseconds) ms)")
    }
  }
}
