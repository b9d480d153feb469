package import Foundation

/// Runs the built command as from a terminal.
package enum FettleProcess {
  /// The outcome of a run.
  package struct Outcome: Sendable {
    package let status: Int32
    package let output: String
    package let errors: String
  }

  /// The executable beside this test bundle.
  package static var executable: URL {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(
      path: "fettle"
    )
  }

  /// Runs the command until it exits. Its own environment hides the databases of this machine.
  package static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Outcome {
    try run(executable, arguments, environment)
  }

  /// Runs another program until it exits.
  package static func run(_ program: URL, _ arguments: [String], _ environment: [String: String] = [:]) throws
    -> Outcome
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fettle-run-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }  // a leftover temporary folder is harmless
    // Files instead of pipes: a process blocks on a full pipe that is not read.
    let files = ["output", "errors"].map { folder.appending(path: $0) }
    for file in files { try Data().write(to: file) }
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ["PATH": "/usr/bin:/bin", "FETTLE_HOME": folder.path].merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus,
      output: try String(contentsOf: files[0], encoding: .utf8),
      errors: try String(contentsOf: files[1], encoding: .utf8)
    )
  }
}
