internal import Cluster
internal import FoundationEssentials
internal import Postgres
internal import Store

/// pgBackRest with its configuration: full and incremental backups of a cluster, and the archive of its log.
struct PgBackRest {
  /// The name of the cluster in the repository.
  static let stanza = "fettle"

  private let program: String
  private let configuration: String
  private let data: ServerData

  /// - Parameters:
  ///   - folder: the folder of the configuration, which belongs to the owner of the data.
  ///   - data: the data folder that is saved, or that a restore fills.
  init(folder: String, data: ServerData) throws {
    program = try Tool.find("pgbackrest", package: "pgbackrest")
    configuration = "\(folder)/pgbackrest.conf"
    self.data = data
  }

  /// Writes the configuration. Its secrets are why only the owner of the data can read the file.
  func configure(_ place: BackupPlace, passphrase: String, keep: Int) throws {
    let folder = String(configuration.dropLast("/pgbackrest.conf".count))
    try data.makeFolder(folder)
    try data.write(
      """
      # Written by `fettle backup init`.
      [global]
      \(place.databaseLines.joined(separator: "\n"))
      repo1-bundle=y
      repo1-cipher-type=aes-256-cbc
      repo1-cipher-pass=\(passphrase)
      repo1-retention-full=\(keep)
      compress-type=zst
      start-fast=y
      process-max=2
      # If the repository cannot be written, commits go on: after 4 GiB, pgBackRest drops the log and says so.
      archive-push-queue-max=4GiB
      log-level-file=off
      log-level-console=off
      log-level-stderr=warn
      lock-path=\(folder)/lock
      spool-path=\(folder)/spool

      [\(Self.stanza)]
      pg1-path=\(data.folder)
      pg1-socket-path=\(data.socketDirectory)
      pg1-port=\(data.port)
      pg1-user=postgres

      """,
      to: configuration
    )
  }

  @discardableResult
  func run(_ command: String, _ options: [String] = [], _ operands: String...) async throws -> String {
    try await data.tool(program).done(
      arguments(command, options) + operands,
      hint:
        "check the folder or bucket of the backups and its free space; `fettle doctor` tells whether the log is archived"
    )
  }

  /// Checks every file of the repository, and returns a line for each damaged one.
  func verify() async throws -> [String] {
    // The program exits with 0 although it has found damaged files, and names them in its log only.
    let outcome = try await data.tool(program).run(
      arguments("verify", ["--output=text", "--log-level-stderr=info"])
    )
    guard outcome.status != 0 || outcome.output.contains("status: error") else { return [] }
    let prefix = "INFO: "
    let damaged = outcome.errors.split(separator: "\n").filter { line in
      line.hasPrefix(prefix)
        && ["invalid", "missing"].contains { line.dropFirst(prefix.count).hasPrefix($0) }
    }
    return damaged.isEmpty ? [outcome.lastWords] : damaged.map { String($0.dropFirst(prefix.count)) }
  }

  /// The command line for `archive_command`.
  var archiveCommand: String {
    let path = configuration.replacing("'", with: "'\\''").replacing("%", with: "%%")
    return "\(program) '--config=\(path)' --stanza=\(Self.stanza) archive-push %p"
  }

  /// Returns a line for each gap in the archive of the log, at which a restore ends.
  ///
  /// - Parameter isRecent: true to look at the log since the newest backup only, not since the oldest one.
  func gaps(sinceNewest isRecent: Bool = false) async throws -> [String] {
    let stanzas = try await info()
    let backups = stanzas.flatMap { $0.backup }
    var lines: [String] = []
    for archive in stanzas.flatMap({ $0.archive }) {
      let needed = isRecent ? Array(backups.suffix(1)) : backups
      let starts = needed.filter { $0.database.id == archive.database.id }.compactMap { $0.archive.start }
      guard let start = starts.min() else { continue }
      lines += try await segments(of: archive).gaps(from: start).map { gap in
        gap.first == gap.last
          ? "missing in the archive of the log: \(gap.first)"
          : "missing in the archive of the log: \(gap.first) to \(gap.last)"
      }
    }
    return lines
  }

  /// Returns the name of the newest segment of the log that a restore of a backup can reach; nil if there is none.
  func newestSegment(for label: String) async throws -> String? {
    let stanzas = try await info()
    let source = stanzas.flatMap { $0.backup }.first { $0.label == label }?.database.id
    guard let archive = stanzas.flatMap({ $0.archive }).first(where: { $0.database.id == source })
    else { return nil }
    return try await segments(of: archive).newest
  }

  private func segments(of archive: Stanza.Archive) async throws -> LogSegments {
    let folder = "archive/\(Self.stanza)/\(archive.id)"
    let listed = try await run("repo-ls", ["--recurse"], folder)
    return LogSegments(files: listed.split(separator: "\n").map(String.init))
  }

  private func arguments(_ command: String, _ options: [String]) -> [String] {
    ["--config=\(configuration)", "--stanza=\(Self.stanza)"] + options + [command]
  }

  /// One backup in the repository.
  struct Backup: Decodable {
    struct Times: Decodable {
      let start: Int64
      let stop: Int64
    }
    /// The cluster that was saved, which is another one after an upgrade of PostgreSQL.
    struct Source: Decodable {
      let id: Int
    }
    /// The log without which the backup is not consistent.
    struct Log: Decodable {
      let start: String?
    }
    let label: String
    let type: String
    let timestamp: Times
    let database: Source
    let archive: Log
  }

  private struct Stanza: Decodable {
    struct Archive: Decodable {
      let id: String
      let database: Backup.Source
    }
    let backup: [Backup]
    let archive: [Archive]
  }

  /// Returns the backups in the repository, oldest first.
  func backups() async throws -> [Backup] { try await info().flatMap { $0.backup } }

  private func info() async throws -> [Stanza] {
    let text = try await run("info", ["--output=json"])
    return try JSON(text: text).decoded(as: [Stanza].self)
  }
}

/// restic with its repository: files of records, dumps, and the manifests.
struct Restic {
  private let tool: Tool
  private let place: BackupPlace

  init(_ place: BackupPlace, passphraseFile: String) throws {
    self.place = place
    tool = Tool(
      try Tool.find("restic", package: "restic"),
      variables: [
        "RESTIC_REPOSITORY=\(place.filesRepository)", "RESTIC_PASSWORD_FILE=\(passphraseFile)",
        "HOME=/nonexistent",
      ] + place.filesVariables
    )
  }

  @discardableResult
  func run(_ arguments: [String], in folder: String = "/") async throws -> String {
    try await tool.done(
      ["--no-cache", "--quiet"] + place.filesOptions + arguments,
      in: folder,
      hint: "check the passphrase and the repository \(place.filesRepository)"
    )
  }

  private struct Summary: Decodable {
    let snapshot_id: String
  }

  /// Saves what is in a folder, and returns the id of the snapshot.
  func save(_ folder: String, tag: String) async throws -> String {
    let lines = try await run(["--json", "backup", "--tag", tag, "."], in: folder).split(separator: "\n")
    return try JSON(text: String(lines.last ?? "")).decoded(as: Summary.self).snapshot_id
  }

  /// Returns the paths of the files in a snapshot, relative to the saved folder.
  func files(in snapshot: String) async throws -> [String] {
    try await run(["ls", snapshot]).split(separator: "\n").filter { $0.hasPrefix("/") }.map {
      String($0.dropFirst())
    }
  }

  /// Restores a snapshot, named by its id or by the tag of the newest one.
  func restore(_ snapshot: String, to folder: String) async throws {
    try await run(["restore", snapshot, "--target", folder])
  }

  func restore(newest tag: String, to folder: String) async throws {
    try await run(["restore", "latest", "--tag", tag, "--target", folder])
  }
}
