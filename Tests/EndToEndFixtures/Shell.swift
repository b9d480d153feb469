package import Foundation
package import TestDatabase
package import Testing

/// A user's shell, with its own folder and an environment that names a database.
///
/// Unlike ``FettleProcess``, it waits without blocking a thread, so that many tests can run at once.
package struct Shell: Sendable {
  /// A temporary folder, which exists until the body of ``open(_:)`` has ended.
  package let folder: URL
  package let environment: [String: String]

  package init(folder: URL, environment: [String: String]) {
    self.folder = folder
    self.environment = environment
  }

  /// Opens a shell whose environment names a fresh migrated database.
  package static func open<Value>(_ body: (Shell) async throws -> Value) async throws -> Value {
    try await TestDatabase.withOwn { try await open($0, body) }
  }

  /// Opens a shell whose environment names a database.
  package static func open<Value>(
    _ database: TestDatabase,
    _ body: (Shell) async throws -> Value
  ) async throws -> Value {
    try await homeless { folder in
      var environment = [
        "PATH": "/usr/bin:/bin", "FETTLE_HOME": folder.path, "FETTLE_COMPANY": "acme", "USER": "tester",
      ]
      let variables = ["host": "PGHOST", "port": "PGPORT", "dbname": "PGDATABASE"]
      for (name, value) in database.parameters { environment[variables[name] ?? name] = value }
      environment.merge(try await Pooler.environment(to: database)) { $1 }
      return try await body(Shell(folder: folder, environment: environment))
    }
  }

  /// Opens a shell without a database, in a folder for an embedded cluster.
  package static func embedded<Value>(_ body: (Shell) async throws -> Value) async throws -> Value {
    try await homeless { folder in
      let shell = Shell(
        folder: folder,
        environment: [
          "PATH": "/usr/bin:/bin", "FETTLE_HOME": "\(folder.path)/home", "FETTLE_COMPANY": "demo",
        ]
      )
      do {
        let value = try await body(shell)
        _ = try await shell.fettle("down")
        return value
      } catch {
        _ = try await shell.fettle("down")
        throw error
      }
    }
  }

  private static func homeless<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
    // The folder is accessible to the user that runs the server under root. Its name is short, because socket
    // paths are limited.
    let folder = Leftovers.newFolder()
    try FileManager.default.createDirectory(
      at: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o711]
    )
    defer { try? FileManager.default.removeItem(at: folder) }  // a leftover folder in /tmp is harmless
    return try await body(folder)
  }

  /// Runs a command until it exits.
  @discardableResult
  package func fettle(_ arguments: String..., input: String = "") async throws -> FettleProcess.Outcome {
    try await start(FettleProcess.executable, arguments, input: input).end()
  }

  /// Runs a command, given as a list of arguments, until it exits.
  @discardableResult
  package func fettle(arguments: [String]) async throws -> FettleProcess.Outcome {
    try await start(FettleProcess.executable, arguments).end()
  }

  /// Runs a command that must succeed.
  @discardableResult
  package func done(
    _ arguments: String...,
    input: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> FettleProcess.Outcome {
    let outcome = try await start(FettleProcess.executable, arguments, input: input).end()
    #expect(
      outcome.status == 0,
      "\(arguments): \(outcome.errors)\(outcome.output)",
      sourceLocation: sourceLocation
    )
    return outcome
  }

  /// Runs a command that must succeed, and returns the JSON objects that it prints.
  package func rows(
    _ arguments: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [[String: Any]] {
    let outcome = try await start(FettleProcess.executable, arguments + ["--output", "json"]).end()
    #expect(
      outcome.status == 0,
      "\(arguments): \(outcome.errors)\(outcome.output)",
      sourceLocation: sourceLocation
    )
    let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    return (json as? [[String: Any]]) ?? [(json as? [String: Any]) ?? [:]]
  }

  /// Starts a command without waiting for it.
  package func begin(_ arguments: String...) throws -> Running {
    try start(FettleProcess.executable, arguments)
  }

  /// Runs a line of bash in which `fettle` is the built command.
  package func bash(_ line: String) async throws -> FettleProcess.Outcome {
    let script = "fettle() { '\(FettleProcess.executable.path)' \"$@\"; }\n\(line)"
    return try await start(URL(filePath: "/bin/bash"), ["-c", script]).end()
  }

  /// Runs another program until it exits.
  package func program(_ path: String, _ arguments: [String]) async throws -> FettleProcess.Outcome {
    try await start(URL(filePath: path), arguments).end()
  }

  private func start(_ program: URL, _ arguments: [String], input: String = "") throws -> Running {
    try Running(program, arguments, environment: environment, input: input, folder: folder)
  }

  /// Writes a file to the folder and returns its path.
  package func file(_ name: String, _ text: String) throws -> String {
    let url = folder.appending(path: name)
    try Data(text.utf8).write(to: url)
    return url.path
  }

  /// Creates the company `acme` with its owner Eva and the given members, by handle and role.
  package func makeCompany(_ people: KeyValuePairs<String, String> = [:]) async throws {
    try await done(
      "company",
      "create",
      "acme",
      "--name",
      "Acme AB",
      "--timezone",
      "Europe/Stockholm",
      "--owner",
      "eva@acme.example",
      "--owner-name",
      "Eva Lindqvist"
    )
    for (handle, role) in people {
      try await done("member", "add", "\(handle)@acme.example", "--name", handle.capitalized, "--role", role)
    }
  }
}
