package import Store
internal import Terminal

/// Messages on stderr, so that results on stdout can be piped.
package enum Message {
  /// Writes a line.
  package static func tell(_ text: String) {
    var out = BufferedOutput(descriptor: 2)
    try? out.write(text + "\n")  // a closed stderr must not stop the command
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
