package import Store
internal import Terminal

/// What is said on the way, on stderr, so that results can be piped.
package enum Message {
  /// Writes a line.
  package static func tell(_ text: String) {
    var out = BufferedOutput(descriptor: 2)
    try? out.write(text + "\n")  // nobody reads: the work goes on
    try? out.flush()
  }

  /// Tells what a migrator does.
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
