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

/// Makes one backup: the database, then the files, then the manifest.
///
/// In this order, every file that the saved database names is saved too: files are stored before the database names them,
/// and removed 30 days after it names them no longer.
struct BackupRun {
  let folder: BackupFolder
  let settings: BackupSettings
  let connection: ConnectionOptions
  let storage: BlobOptions

  /// Makes the backup and returns its manifest.
  ///
  /// - Parameter full: true for a full one; nil for a full one if the newest is a week old.
  func run(full: Bool?) async throws -> BackupManifest {
    let lock = try await SetupLock.take(in: folder.path)
    let began = Instant.now
    let restic = try Restic(folder.place(settings), passphraseFile: folder.passphraseFile)
    let database = try connection.open(as: .backup, poolSize: 1, accepting: .every)
    let census: DatabaseCensus
    do {
      census = try await DatabaseCensus.take(database)
      await database.close()
    } catch {
      await database.close()
      throw error
    }
    let (label, kind, backup) = try await saveDatabase(full, began, restic)
    let saved = Instant.now
    let files = try await saveFiles(restic)
    try await saveKeyFile()
    for entry in try KeyLocation.ledger().read() {
      try folder.ledger.add(kind: entry.kind, digest: entry.digest)
    }
    let manifest = BackupManifest(
      label: label,
      kind: kind,
      backup: backup,
      beganAt: began.rfc3339,
      savedAt: saved.rfc3339,
      endedAt: Instant.now.rfc3339,
      program: Version.number,
      position: census.position,
      schema: census.schema,
      rows: census.rows,
      lasting: census.lasting,
      files: files,
      keys: BackupManifest.NeededKeys(
        passphrase: BackupFolder.fingerprint(ofPassphrase: try folder.passphrase()),
        file: census.keys,
        recipient: settings.recipient
      )
    )
    let expired = try await expired(beside: manifest)
    for old in expired { unlink(folder.manifestFile(old.label)) }
    try BackupFolder.write(try JSON(encoding: manifest).text, to: folder.manifestFile(label))
    _ = try await restic.save(folder.recordsFolder, tag: "records")
    // After the manifest, so that a backup that fails here is complete.
    let forgotten = expired.flatMap { old in
      [old.files.snapshot, old.kind == "dump" ? old.backup : nil].compactMap(\.self)
    }
    if !forgotten.isEmpty { try await restic.run(["forget", "--prune"] + forgotten) }
    _ = consume lock
    return manifest
  }

  /// Saves the database and returns the label, the kind, and the name of the backup in its tool.
  private func saveDatabase(_ full: Bool?, _ began: Instant, _ restic: Restic) async throws -> (
    String, String, String
  ) {
    switch settings.engine {
    case .pgbackrest:
      let engine = try PgBackRest(folder: folder.engineFolder, data: ServerData(running: settings.data ?? ""))
      let newest = try await engine.backups().last { $0.type == "full" }
      let age = newest.map { began.microseconds / 1_000_000 - $0.timestamp.stop }
      let isFull = full ?? (age.map { $0 > 6 * 86_400 + 43_200 } ?? true)
      try await engine.run("backup", ["--type=\(isFull ? "full" : "incr")"])
      guard let made = try await engine.backups().last else {
        throw DomainError(.internal, "pgBackRest lists no backup")
      }
      // pgBackRest makes a full backup if there is none to build on.
      return (made.label, made.type == "full" ? "full" : "incremental", made.label)
    case .dump:
      let scratch = "\(folder.path)/scratch"
      try? FileManager.default.removeItem(atPath: scratch)  // of a run that was killed
      try FileManager.default.createDirectory(
        atPath: scratch,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
      defer { try? FileManager.default.removeItem(atPath: scratch) }  // the next run removes it
      try await DatabaseDump(connection).write(to: "\(scratch)/fettle.dump")
      let label = "\(began.rfc3339.filter(\.isNumber).prefix(14))D"
      return (label, "dump", try await restic.save(scratch, tag: "dump"))
    }
  }

  private func saveFiles(_ restic: Restic) async throws -> BackupManifest.Files {
    let place = try storage.named()
    guard case .folder = try BlobPlace(parsing: place) else {
      return BackupManifest.Files(
        place: place,
        snapshot: nil,
        count: 0,
        names: BackupManifest.digest(ofNames: [])
      )
    }
    // restic refuses an empty folder: that of a store in which nobody has put a file yet.
    try FileManager.default.createDirectory(
      atPath: "\(place)/uploads",
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    let snapshot = try await restic.save(place, tag: "files")
    let names = try await restic.files(in: snapshot).filter(StoredFiles.isBlob)
    return BackupManifest.Files(
      place: place,
      snapshot: snapshot,
      count: names.count,
      names: BackupManifest.digest(ofNames: names)
    )
  }

  /// Encrypts the key file for the recipient, who alone can read it: the passphrase of the repository cannot.
  private func saveKeyFile() async throws {
    guard let recipient = settings.recipient else { return }
    let keys = try KeyLocation.file()
    guard try keys.existing() != nil else { return }
    let draft = "\(folder.keyFile).new"
    unlink(draft)
    try await Tool(Tool.find("age", package: "age")).done(["-r", recipient, "-o", draft, keys.path])
    guard rename(draft, folder.keyFile) == 0 else {
      throw DomainError(.unavailable, "cannot write \(Quoted(folder.keyFile))")
    }
  }

  /// Returns the manifests of backups that are gone: pgBackRest keeps a number of full backups with what builds on them.
  private func expired(beside new: BackupManifest) async throws -> [BackupManifest] {
    let manifests = try folder.manifests()
    guard settings.engine == .pgbackrest else { return Array(manifests.dropLast(settings.keep - 1)) }
    let engine = try PgBackRest(folder: folder.engineFolder, data: ServerData(running: settings.data ?? ""))
    let kept = Set(try await engine.backups().map(\.label))
    return manifests.filter { !kept.contains($0.backup) }
  }
}

/// A dump of the database by `pg_dump`.
struct DatabaseDump {
  private let connection: ConnectionOptions

  init(_ connection: ConnectionOptions) { self.connection = connection }

  /// Writes the dump to a file. It is not compressed, so that restic finds what has not changed.
  func write(to file: String) async throws {
    var parameters = try connection.parameters(for: .backup)
    let environment = ProcessInfo.processInfo.environment
    var variables = environment.filter { $0.key.hasPrefix("PG") || $0.key == "HOME" }
    // Another process could read it in the arguments.
    if let password = parameters.removeValue(forKey: "password") { variables["PGPASSWORD"] = password }
    let names = ["host": "--host", "port": "--port", "user": "--username", "dbname": "--dbname"]
    let options = parameters.flatMap { name, value in names[name].map { [$0, value] } ?? [] }
    if let url = parameters["dbname"], ConnectionString(url)?.secrets.isEmpty == false {
      throw DomainError(
        .invalidInput,
        "DATABASE_URL contains a password, which every process on this machine could read as an argument of pg_dump",
        hint: "use PGPASSWORD, a service file or .pgpass"
      )
    }
    try await Tool(
      Tool.find("pg_dump", package: "postgresql-client"),
      variables: variables.map { "\($0)=\($1)" }
    ).done(options + ["--no-password", "--format=custom", "--compress=0", "--file", file])
  }
}
