internal import Cluster
internal import CoreCommands
internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Secrets

/// Sets up the backups of an installation.
struct BackupInit {
  let folder: BackupFolder
  let place: BackupPlace
  let engine: BackupSettings.Engine
  /// The data folder of the cluster, for pgBackRest.
  let data: String?
  let keep: Int
  let recipient: String?

  /// What an operator must know afterwards.
  struct Outcome {
    let passphrase: String
    /// True if PostgreSQL must be restarted before it archives its log.
    let needsRestart: Bool
  }

  /// Creates the repository and makes PostgreSQL archive its log.
  ///
  /// - Throws: `already_exists` if backups are set up or the place is not empty; as ``BackupPlace/requireUsable()``.
  func run() async throws -> Outcome {
    try folder.create()
    let lock = try await SetupLock.take(in: folder.path)
    if let settings = try folder.settings() {
      throw DomainError(
        .alreadyExists,
        "backups to \(settings.repository) are set up already",
        hint:
          "to begin again elsewhere, move \(folder.path) away, and keep it as long as you keep those backups"
      )
    }
    try await place.requireUsable()
    let kept = try folder.keep(place)
    let passphrase = Base32.encode(SecureRandom.bytes(20))
    try BackupFolder.write(passphrase + "\n", to: folder.passphraseFile)
    let restic = try Restic(kept, passphraseFile: folder.passphraseFile)
    if recipient != nil { _ = try Tool.find("age", package: "age") }
    if case .folder(let path) = kept {
      try FileManager.default.createDirectory(
        atPath: path,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o711]
      )
    }
    try await restic.run(["init"])
    var needsRestart = false
    if engine == .pgbackrest { needsRestart = try await startArchive(kept, passphrase) }
    try folder.write(
      BackupSettings(
        engine: engine,
        repository: kept.name,
        service: kept.service,
        data: data,
        database: nil,
        keep: keep,
        recipient: recipient
      )
    )
    _ = consume lock
    return Outcome(passphrase: passphrase, needsRestart: needsRestart)
  }

  /// Configures pgBackRest, and PostgreSQL to archive its log with it; returns true if PostgreSQL must be restarted.
  private func startArchive(_ place: BackupPlace, _ passphrase: String) async throws -> Bool {
    let server = try ServerData(running: data ?? "")
    let tool = try PgBackRest(folder: folder.engineFolder, data: server)
    if case .folder(let path) = place { try server.makeFolder("\(path)/database") }
    try tool.configure(place, passphrase: passphrase, keep: keep)
    try await tool.run("stanza-create")
    let command = tool.archiveCommand.replacing("'", with: "''")
    try await server.psql([
      "alter system set archive_mode = on", "alter system set archive_command = '\(command)'",
      "alter system set archive_timeout = '60s'", "select pg_reload_conf()",
    ])
    guard try await server.psql(["show archive_mode"]).hasPrefix("on") else { return true }
    try await tool.run("check")
    return false
  }
}
