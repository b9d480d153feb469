internal import Foundation

/// The sanitizer that the tests and the command are built with, if there is one. `deploy/sanitize` names its options in
/// the environment.
package enum Sanitizer {
  /// The variables with the options. Commands need them too: they say where reports go.
  package static let options = ProcessInfo.processInfo.environment.filter { name, _ in
    ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains(name)
  }

  /// The start of a line of bash that limits memory and processor time of its commands.
  ///
  /// A sanitizer reserves terabytes of address space, and multiplies the processor time. With one, memory is not
  /// limited, and the time is ten times as long.
  ///
  /// - Parameters:
  ///   - megabytes: the address space of each command.
  ///   - seconds: the processor time of each command.
  package static func limits(megabytes: Int, seconds: Int) -> String {
    options.isEmpty ? "ulimit -v \(megabytes * 1_000) -t \(seconds)" : "ulimit -t \(seconds * 10)"
  }
}
