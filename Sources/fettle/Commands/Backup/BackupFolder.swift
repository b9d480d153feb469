internal import Cluster
internal import CoreCommands
internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Postgres
internal import Secrets
internal import Store
internal import Terminal

/// The settings of backups: where they go and what makes them.
struct BackupSettings: Codable {
  /// The program that saves the database.
  enum Engine: String, Codable {
    /// Full and incremental backups and an archive of the log, of a cluster on this machine.
    case pgbackrest
    /// Dumps of a server elsewhere.
    case dump
  }

  let engine: Engine
  /// The folder of the backups.
  let repository: String
  /// The data folder of the cluster; nil for dumps.
  let data: String?
  /// The database; nil for dumps, which take the one that the command names.
  let database: String?
  /// The number of full backups to keep.
  let keep: Int
  /// The `age` recipient that can read the key file; nil to leave the key file out.
  let recipient: String?
}

/// The folder `backup` of an installation: settings, passphrase, and a copy of the manifests.
struct BackupFolder {
  let path: String

  /// Returns the folder of this installation.
  static func ofInstallation() throws -> BackupFolder {
    BackupFolder(path: "\(try ClusterHome.locate().directory)/backup")
  }

  /// The file with the passphrase, from which restic reads it.
  var passphraseFile: String { "\(path)/passphrase" }
  /// The folder of pgBackRest's configuration, which belongs to the owner of the cluster.
  var engineFolder: String { "\(path)/database" }
  /// The folder that is saved last: manifests and the encrypted key file.
  var recordsFolder: String { "\(path)/records" }
  var keyFile: String { "\(recordsFolder)/fettle.key.age" }
  private var settingsFile: String { "\(path)/settings.json" }

  /// Creates the folder. The owner of the cluster may enter it, and reads only the folder of the engine.
  func create() throws {
    for folder in [path, recordsFolder] {
      try FileManager.default.createDirectory(
        atPath: folder,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: folder == path ? 0o711 : 0o700]
      )
    }
  }

  /// Reads the settings; nil before `fettle backup init`.
  func settings() throws -> BackupSettings? {
    guard let text = try? String(contentsOfFile: settingsFile, encoding: .utf8) else { return nil }
    return try JSON(text: text).decoded(as: BackupSettings.self)
  }

  /// Returns the settings.
  ///
  /// - Throws: `not_found` before `fettle backup init`.
  func requiredSettings() throws -> BackupSettings {
    if let settings = try settings() { return settings }
    throw DomainError(
      .notFound,
      "no backups are set up in \(path)",
      hint: "run `fettle backup init --to FOLDER`, or set FETTLE_HOME to the installation's folder"
    )
  }

  func write(_ settings: BackupSettings) throws {
    try Self.write(try JSON(encoding: settings).text, to: settingsFile)
  }

  /// Returns the passphrase of the repository.
  func passphrase() throws -> String { try SecretSource.file(passphraseFile).read() }

  /// Returns the manifests on this machine, oldest first.
  func manifests() throws -> [BackupManifest] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: recordsFolder)) ?? []
    return try names.filter { $0.hasSuffix(".json") }
      .map { name in
        try JSON(text: String(contentsOfFile: "\(recordsFolder)/\(name)", encoding: .utf8))
          .decoded(as: BackupManifest.self)
      }
      .sorted { $0.endedAt < $1.endedAt }
  }

  /// The copy of the ledger of erasures, which is saved with the manifests.
  var ledger: ErasureLedger { ErasureLedger(path: "\(recordsFolder)/fettle.erasures") }

  func manifestFile(_ label: String) -> String { "\(recordsFolder)/\(label).json" }

  private var testFile: String { "\(path)/tested" }

  /// Returns the time of the last restore by `fettle backup test` that found no difference; nil if there was none.
  func tested() -> Instant? {
    guard let text = try? String(contentsOfFile: testFile, encoding: .utf8) else { return nil }
    return Instant(rfc3339: String(text.prefix { !$0.isWhitespace }))
  }

  /// Records a restore without differences.
  func recordTest(at time: Instant) throws { try Self.write(time.rfc3339 + "\n", to: testFile) }

  /// Replaces a file.
  ///
  /// - Parameter mode: the mode of the file; by default only this user can read it.
  static func write(_ text: String, to path: String, mode: mode_t = 0o600) throws {
    let draft = "\(path).new"
    unlink(draft)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    let bytes = Array(text.utf8)
    defer { if descriptor >= 0 { close(descriptor) } }
    guard descriptor >= 0, fchmod(descriptor, mode) == 0,
      Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0,
      rename(draft, path) == 0
    else {
      throw DomainError(
        .unavailable,
        "cannot write \(Quoted(path)): \(String(cString: strerror(errno)))",
        hint: "check the folder's owner and the free space"
      )
    }
  }

  /// Names a passphrase without revealing it, so that a list can say which one a backup needs.
  static func fingerprint(ofPassphrase passphrase: String) -> String {
    Hex.encode(SHA256.hash("fettle backup passphrase\n\(passphrase)").prefix(4))
  }
}
