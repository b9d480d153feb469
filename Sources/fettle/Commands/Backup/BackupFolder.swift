internal import Cluster
internal import CoreCommands
internal import Domain
internal import Engine
internal import Files
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

  /// The service of a bucket, whose credentials are in a file of their own.
  struct Service: Codable {
    let endpoint: String
    let region: String
    let isPathStyle: Bool
  }

  let engine: Engine
  /// The folder of the backups, or `s3://bucket/prefix`.
  let repository: String
  /// The service of the bucket; nil for a folder.
  var service: Service?
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
  /// The file with the access key and the secret key of a bucket.
  private var credentialsFile: String { "\(path)/credentials" }
  /// The certificates of the bucket's authority, which the owner of the cluster reads too.
  private var authoritiesFile: String { "\(path)/authorities.pem" }
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

  /// Keeps what later commands and other users need for a place: the credentials of a bucket, and a copy of the certificates.
  ///
  /// - Returns: the place with the kept certificates.
  func keep(_ place: BackupPlace) throws -> BackupPlace {
    guard case .bucket(var bucket, let credentials) = place else { return place }
    try Self.write("\(credentials.accessKey)\n\(credentials.secretKey)\n", to: credentialsFile)
    if let file = bucket.authorities {
      guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
        throw DomainError(
          .notFound,
          "there is no file \(Quoted(file)) of certificates",
          hint: "check --ca-file"
        )
      }
      try Self.write(text, to: authoritiesFile, mode: 0o644)
      bucket.authorities = authoritiesFile
    }
    return .bucket(bucket, credentials)
  }

  /// Returns the place of the backups.
  func place(_ settings: BackupSettings) throws -> BackupPlace {
    guard let service = settings.service else { return .folder(settings.repository) }
    let parts = settings.repository.dropFirst("s3://".count).split(separator: "/").map(String.init)
    do throws(FilesError) {
      let hasAuthorities = FileManager.default.fileExists(atPath: authoritiesFile)
      return .bucket(
        try S3Place(
          bucket: parts.first ?? "",
          prefix: parts.dropFirst().joined(separator: "/"),
          endpoint: service.endpoint,
          region: service.region,
          isInHost: !service.isPathStyle,
          authorities: hasAuthorities ? authoritiesFile : nil
        ),
        try S3Place.Credentials(file: credentialsFile, named: credentialsFile)
      )
    } catch { throw error.asDomainError }
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

  /// A check of the backups whose failure is kept until it succeeds.
  enum Check: String {
    case test, verify
  }

  private func failureFile(_ check: Check) -> String { "\(path)/\(check.rawValue).failed" }

  /// Records that a check has found differences, or that it has found none.
  func record(_ check: Check, failed: Bool) throws {
    let file = failureFile(check)
    if failed { try Self.write(Instant.now.rfc3339 + "\n", to: file) } else { unlink(file) }
  }

  /// Returns the time at which a check failed; nil if it has succeeded since, or was never made.
  func failure(of check: Check) -> String? {
    let text = try? String(contentsOfFile: failureFile(check), encoding: .utf8)  // none without a failure
    return text.map { String($0.prefix { !$0.isWhitespace }) }
  }

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
