import Cluster
import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// A shell with an installation that is backed up and restored.
struct BackupShell {
  let shell: Shell
  /// The place of the backups as `--to` and `--from` name it, with the options of a bucket.
  let place: [String]

  /// - Parameter place: nil for ``repository``.
  init(shell: Shell, place: [String]? = nil) {
    self.shell = shell
    self.place = place ?? ["\(shell.folder.path)/repository"]
  }

  /// Opens a shell with a running embedded PostgreSQL and the company `acme`.
  static func open(_ body: (BackupShell) async throws -> Void) async throws {
    try await Shell.embedded { shell in
      try await shell.done("up", "--detach", "--no-demo")
      try await shell.makeCompany()
      try await body(BackupShell(shell: shell))
    }
  }

  var home: String { "\(shell.folder.path)/home" }
  var repository: String { "\(shell.folder.path)/repository" }
  /// The folder of the restored installation.
  var target: String { "\(shell.folder.path)/copy" }
  /// The file with the secret key of age.
  var identity: String { "\(shell.folder.path)/operator.age" }
  private var passphrase: String { "\(shell.folder.path)/kept" }

  /// Sets up backups, with a recipient of the key file if that is asked for.
  func setUp(recipient: Bool = false) async throws {
    var arguments = ["backup", "init", "--to"] + place + ["--output", "json"]
    if recipient {
      let made = try await shell.program("/usr/bin/age-keygen", ["-o", identity])
      let key = try #require(made.errors.split(separator: " ").last)
      arguments += ["--recipient", key.trimmingCharacters(in: .whitespacesAndNewlines)]
    }
    let outcome = try await shell.fettle(arguments: arguments)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("THE KEY FILE IS NOT SAVED") == !recipient)
    try keepPassphrase(outcome.output)
  }

  /// Keeps the passphrase that `backup init` has printed.
  func keepPassphrase(_ output: String) throws {
    let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
    try Data(try #require(object?["passphrase"] as? String).utf8).write(to: URL(filePath: passphrase))
  }

  /// Adds machines named by a prefix and a number.
  func add(_ prefix: String, _ numbers: ClosedRange<Int>) async throws {
    for number in numbers {
      try await shell.done("machine", "add", "\(prefix)-\(number)", "--company", "acme")
    }
  }

  func names(in shell: Shell) async throws -> Set<String> {
    Set(try await shell.rows("machine", "list", "--company", "acme").compactMap { $0["code"] as? String })
  }

  /// Runs a statement as the superuser of an embedded cluster.
  @discardableResult
  func psql(_ statement: String, in shell: Shell? = nil) async throws -> String {
    let home = (shell ?? self.shell).environment["FETTLE_HOME"] ?? home
    let cluster = EmbeddedCluster(home: ClusterHome(directory: home))
    let outcome = try await self.shell.program(
      "/usr/bin/psql",
      [
        "--host", cluster.socketDirectory, "--port", "\(cluster.port)", "--username", "postgres", "--dbname",
        "fettle",
        "-XAtqc", statement,
      ]
    )
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Waits until everything that was committed before is in the archive, and returns the name of the last segment.
  @discardableResult
  func archiveAll() async throws -> String {
    let segment = try await psql("select pg_walfile_name(pg_switch_wal())")
    try await until {
      try await psql("select last_archived_wal >= '\(segment)' from pg_stat_archiver") == "t"
    }
    return segment
  }

  func restore(_ options: String...) async throws -> FettleProcess.Outcome { try await restore(options) }

  func restore(_ options: [String]) async throws -> FettleProcess.Outcome {
    let named = options.contains("--passphrase-file") ? [] : ["--passphrase-file", passphrase]
    return try await shell.fettle(
      arguments: ["restore", "--from"] + place + ["--into", target] + named + options
    )
  }

  /// Starts the restored installation, and stops it after a body.
  func withRestored(_ body: (Shell) async throws -> Void) async throws {
    let restored = Shell(
      folder: shell.folder,
      environment: ["PATH": "/usr/bin:/bin", "FETTLE_HOME": target, "FETTLE_COMPANY": "acme"]
    )
    try await restored.done("up", "--detach", "--no-demo")
    do {
      try await body(restored)
      try await restored.done("down")
    } catch {
      try await restored.done("down")
      throw error
    }
  }

  /// Returns a finding of `fettle doctor`, which fails with some of them.
  func finding(_ check: String) async throws -> [String: Any]? {
    let outcome = try await shell.fettle("doctor", "--output", "json")
    let rows = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]]
    return rows?.first { $0["check"] as? String == check }
  }

  /// Returns the paths of the manifests on this machine.
  func records() throws -> [String] {
    let folder = "\(home)/backup/records"
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }
      .map { "\(folder)/\($0)" }
  }

  /// Returns the contents of the files in a store, by name.
  func blobs(below folder: String) throws -> [String: Data] {
    var found: [String: Data] = [:]
    let files = FileManager.default.enumerator(atPath: folder)
    for case let path as String in files ?? .init() where path.split(separator: "/").last?.count == 64 {
      found[path] = try Data(contentsOf: URL(filePath: "\(folder)/\(path)"))
    }
    return found
  }

  /// Changes a byte in the middle of a file, and returns the file's name.
  func flip(below folder: String, suffix: String) throws -> String {
    let paths = (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []).sorted()
    let path = try #require(
      paths.last { path in
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: "\(folder)/\(path)", isDirectory: &isFolder)
        return exists && !isFolder.boolValue && path.hasSuffix(suffix)
      }
    )
    let url = URL(filePath: "\(folder)/\(path)")
    let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] ?? 0o600
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    var bytes = try Data(contentsOf: url)
    bytes[bytes.count / 2] ^= 1
    let handle = try FileHandle(forWritingTo: url)
    try handle.write(contentsOf: bytes)
    try handle.close()
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    return url.lastPathComponent
  }
}
