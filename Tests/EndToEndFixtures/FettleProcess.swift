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
  package static func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Outcome
  {
    try await run(executable, arguments, environment)
  }

  /// Runs another program until it exits.
  package static func run(_ program: URL, _ arguments: [String], _ environment: [String: String] = [:])
    async throws -> Outcome
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fettle-run-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }  // a leftover temporary folder is harmless
    let own = ["PATH": "/usr/bin:/bin", "FETTLE_HOME": folder.path]
    return try await Running(
      program,
      arguments,
      environment: own.merging(environment) { $1 },
      input: "",
      folder: folder
    ).end()
  }

  /// The grammar of all commands as JSON, described by the command itself; once, since that takes seconds.
  package static func grammar() async throws -> Data { try await described.value }

  private static let described = Task { Data(try await run("--experimental-dump-help").output.utf8) }
}
