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

/// Restores a backup into an empty folder, which is an installation of its own afterwards, with its PostgreSQL stopped.
///
/// The restored PostgreSQL has a private socket and archives nothing, so that two clusters never write one archive. All
/// queues are paused, so that the copy sends no mail and no webhook.
struct RestoreRun {
  let place: BackupPlace
  let passphrase: String
  /// The folder to fill.
  let target: String
  /// The time whose state is restored; nil for the last one that was archived.
  var time: Instant?
  /// The backup to begin from; nil for the newest one, or the newest before the time.
  var label: String?
  let key: RestoredKey
  /// The erasures that are repeated in the restored data, besides those that the backup knows of.
  var ledger: ErasureLedger?

  /// The source of the key file.
  enum RestoredKey {
    /// A file that the operator has kept.
    case file(String)
    /// The copy in the backup, which this file of `age` identities can read.
    case identity(String)
    /// None: what the keys protect is lost.
    case none
  }

  /// What was restored, and how it differs from what it should be.
  struct Outcome {
    let manifest: BackupManifest
    let files: Int
    var differences: [String]
    /// The number of companies and people that were erased again.
    var erased = 0
    /// True if `fettle verify` found nothing.
    var isVerified = false
  }

  /// Restores and checks.
  ///
  /// - Throws: `already_exists` if the folder is not empty; `invalid_input` for a wrong passphrase, a missing or other
  ///   key file and a backup of a newer program. A refusal leaves nothing behind.
  func run() async throws -> Outcome {
    try requireEmpty()
    try await place.requireAnswer()
    let scratch = "\(target)/restore"
    try FileManager.default.createDirectory(
      atPath: scratch,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o711]
    )
    let restic: Restic
    let kept: BackupPlace
    let manifest: BackupManifest
    do {
      let file = "\(scratch)/passphrase"
      try BackupFolder.write(passphrase + "\n", to: file)
      kept = try BackupFolder(path: scratch).keep(place)
      restic = try Restic(kept, passphraseFile: file)
      try await restic.restore(newest: "records", to: "\(scratch)/records")
      manifest = try chosen(from: BackupFolder(path: scratch).manifests())
      try requireKnownSchema(manifest)
      try await placeKey(manifest, scratch)
    } catch {
      try? FileManager.default.removeItem(atPath: target)  // the refusal is the news
      throw unreadable(error)
    }
    Message.tell("restoring \(manifest.label) into \(target)")
    let cluster = EmbeddedCluster(home: ClusterHome(directory: target), timeLimit: .seconds(24 * 3_600))
    var outcome: Outcome
    do {
      let cut = try await restoreDatabase(manifest, kept, cluster, restic, scratch)
      let files = try await restoreFiles(manifest, restic, scratch)
      outcome = try await check(manifest, cluster, scratch, files: files)
      if let cut { outcome.differences.insert(cut, at: 0) }
      try await cluster.stop()
    } catch {
      _ = try? await cluster.stop()  // the failure is the news
      if (error as? DomainError)?.code == .notFound {
        try? FileManager.default.removeItem(atPath: target)  // the refusal is the news
      } else {
        Message.tell("the folder \(target) is incomplete: remove it before the next attempt")
      }
      throw unreadable(error)
    }
    try FileManager.default.removeItem(atPath: scratch)
    return outcome
  }

  /// Returns the failure of a program on a folder that is there as invalid input: the passphrase is another one, or the
  /// backup is damaged.
  private func unreadable(_ error: any Error) -> any Error {
    guard case .folder = place, let fault = error as? ClusterError, fault.kind == .programFailed else {
      return error
    }
    return DomainError(.invalidInput, fault.message, hint: fault.hint)
  }

  private func requireEmpty() throws {
    let present = (try? FileManager.default.contentsOfDirectory(atPath: target)) ?? []
    var isFolder = false
    let exists = FileManager.default.fileExists(atPath: target, isDirectory: &isFolder)
    guard !exists || isFolder && present.isEmpty else {
      throw DomainError(
        .alreadyExists,
        "\(target) is not an empty folder",
        hint: "name a folder that does not exist; nothing is ever restored over data"
      )
    }
  }

  /// Returns the backup to begin from.
  private func chosen(from manifests: [BackupManifest]) throws -> BackupManifest {
    let usable = manifests.filter { manifest in
      let isEarly =
        time.map { time in Instant(rfc3339: manifest.savedAt).map { $0 <= time } ?? false } ?? true
      return isEarly && (label.map { $0 == manifest.label } ?? true)
    }
    if let manifest = usable.last { return manifest }
    let range = manifests.first.map { "the oldest is \($0.label), of \($0.savedAt)" } ?? "there is none"
    throw DomainError(
      .notFound,
      "no backup \(label.map { "named \($0) " } ?? "")\(time.map { "of before \($0.rfc3339)" } ?? "exists"): \(range)",
      hint: "list the backups with `fettle backup list`"
    )
  }

  /// Refuses a database whose tables this program does not know.
  private func requireKnownSchema(_ manifest: BackupManifest) throws {
    let packages = try AppPackage.allEmbedded()
    let known = Set(
      try ([SchemaFiles.core()] + packages.map(\.schemaFiles)).flatMap(\.migrations)
        .map { "\($0.app) \($0.kind.rawValue) \($0.number)" }
    )
    let apps = Set(["core"] + packages.map(\.manifest.app))
    let newer = manifest.schema.first { file in
      apps.contains(String(file.prefix { $0 != " " })) && !known.contains(file)
    }
    guard let newer else { return }
    throw DomainError(
      .invalidInput,
      "the backup is of fettle \(manifest.program), and this is \(Version.number), which lacks \(newer)",
      hint: "install fettle \(manifest.program) or later, and restore with it"
    )
  }

  /// Puts the key file in its place, or refuses: without it, secrets in the database cannot be read.
  private func placeKey(_ manifest: BackupManifest, _ scratch: String) async throws {
    let place = "\(target)/fettle.key"
    switch key {
    case .none:
      if !manifest.keys.file.isEmpty {
        Message.tell(
          "WITHOUT THE KEY FILE: invite codes, sessions of devices and links to files end, and the secrets of "
            + "webhooks and second factors are lost; `fettle key accept` begins with new keys"
        )
      }
      return
    case .file(let path):
      try BackupFolder.write(try SecretSource.file(path).read() + "\n", to: place)
    case .identity(let path):
      let copy = "\(scratch)/records/fettle.key.age"
      guard FileManager.default.fileExists(atPath: copy) else {
        throw DomainError(
          .notFound,
          "the backup has no copy of the key file",
          hint: "name the file that you have kept with --key-file"
        )
      }
      let text = try await Tool(Tool.find("age", package: "age")).done(
        ["--decrypt", "--identity", path, copy],
        hint: "name the identity of \(manifest.keys.recipient ?? "the recipient") with --identity"
      )
      try BackupFolder.write(text, to: place)
    }
    let keys = try KeyFile(path: place).read()
    let own = Set(keys.allFingerprints.map { "\($0.purpose) \($0.version) \(Hex.encode($0.bytes))" })
    if let other = manifest.keys.file.first(where: { !own.contains($0) }) {
      throw DomainError(
        .invalidInput,
        "the key file is not that of the backup: it lacks the key \(other.prefix { $0 != " " })",
        hint: "name the file that was kept with this backup"
      )
    }
  }

  /// Returns a difference if a part of the archived log is missing.
  private func restoreDatabase(
    _ manifest: BackupManifest,
    _ place: BackupPlace,
    _ cluster: EmbeddedCluster,
    _ restic: Restic,
    _ scratch: String
  ) async throws -> String? {
    var cut: String?
    if manifest.kind == "dump" {
      try await restoreDump(manifest, cluster, restic, scratch)
    } else {
      cut = try await restoreCluster(manifest, place, cluster, scratch)
    }
    let server = try ServerData(cluster)
    try await server.psql(
      [
        // A new epoch: versions and positions are used again for other changes.
        "select core.begin_epoch()",
        """
        select core.pause_jobs(c.id, null, null, 'restored from a backup: `fettle queue resume --all`', 'restore')
        from core.company c
        where c.slug = 'system'
        """,
      ],
      database: "fettle"
    )
    return cut
  }

  private func restoreCluster(
    _ manifest: BackupManifest,
    _ place: BackupPlace,
    _ cluster: EmbeddedCluster,
    _ scratch: String
  ) async throws -> String? {
    let server = try ServerData(cluster)
    try server.makeFolder(server.folder)
    let engine = try PgBackRest(folder: "\(scratch)/database", data: server)
    try engine.configure(place, passphrase: passphrase, keep: 1)
    var options = ["--set=\(manifest.backup)", "--archive-mode=off"]
    if let time {
      options += ["--type=time", "--target=\(Self.target(time))", "--target-action=promote"]
    }
    // Before the recovery, beside which the archive may grow.
    let newest = time == nil ? try await engine.newestSegment(for: manifest.backup) : nil
    try await engine.run("restore", options)
    var first = cluster
    first.overrides = try server.adoptConfiguration()
    do {
      try await first.start()
    } catch {
      // Without the log, the error is the news.
      let log = try? String(contentsOfFile: cluster.log, encoding: .utf8)
      guard log?.contains("recovery ended before configured recovery target") == true else { throw error }
      throw DomainError(
        .notFound,
        "the archive of the log ends before \(time?.rfc3339 ?? "the end")",
        hint: "name an earlier time, or leave out --to for the last state that was archived"
      )
    }
    // What the origin and the recovery have set; archive_mode stays off until `fettle backup init`.
    let settings = [
      "restore_command", "recovery_target_time", "recovery_target_action", "archive_command",
      "archive_timeout",
      "listen_addresses", "port", "unix_socket_directories", "hba_file",
    ]
    try await server.psql(settings.map { "alter system reset \($0)" } + ["select pg_reload_conf()"])
    server.forgetFirstStart()
    guard let newest else { return nil }
    return try await Self.cut(server, before: newest)
  }

  /// A time as PostgreSQL's and pgBackRest's settings take it: with an offset, not `Z`.
  private static func target(_ time: Instant) -> String {
    "\(time.rfc3339.replacing("T", with: " ").filter { $0 != "Z" })+00"
  }

  private func restoreDump(
    _ manifest: BackupManifest,
    _ cluster: EmbeddedCluster,
    _ restic: Restic,
    _ scratch: String
  ) async throws {
    try await restic.restore(manifest.backup, to: "\(scratch)/dump")
    try await cluster.start()
    for (database, prepare) in [
      ("postgres", { try await Installation.createDatabase("fettle", superuser: $0) }),
      ("fettle", { try await Installation.prepareRoles(superuser: $0) }),
    ] as [(String, (Database) async throws -> Void)] {
      try await Self.with(cluster.connectionParameters(database: database)) { try await prepare($0) }
    }
    try await DumpRestore(program: Tool.find("pg_restore", package: "postgresql-client"), cluster: cluster)
      .run("\(scratch)/dump/fettle.dump", into: "fettle")
    try await ServerData(cluster).psql(["analyze"], database: "fettle")
  }

  /// Restores the files of the backup, and those that were saved next: they were stored until then.
  private func restoreFiles(_ manifest: BackupManifest, _ restic: Restic, _ scratch: String) async throws
    -> Int
  {
    guard let snapshot = manifest.files.snapshot else {
      Message.tell("the files are in \(manifest.files.place): the bucket keeps versions of them")
      return 0
    }
    let folder = "\(target)/blobs"
    try await restic.restore(snapshot, to: folder)
    chmod(folder, 0o700)
    let names = StoredFiles.paths(in: folder)
    guard BackupManifest.digest(ofNames: names) == manifest.files.names else {
      throw DomainError(
        .unavailable,
        "the backup has \(names.count) files, and not the \(manifest.files.count) of its manifest",
        hint: "find damaged parts with `fettle backup verify`, or restore another backup"
      )
    }
    let later = try BackupFolder(path: scratch).manifests().first { $0.beganAt > manifest.endedAt }
    if let next = later?.files.snapshot { try await restic.restore(next, to: folder) }
    return StoredFiles.paths(in: folder).count
  }

  private func check(
    _ manifest: BackupManifest,
    _ cluster: EmbeddedCluster,
    _ scratch: String,
    files: Int
  ) async throws -> Outcome {
    Message.tell("checking the restored data")
    var outcome = Outcome(manifest: manifest, files: files, differences: [])
    let parameters = cluster.connectionParameters(
      database: "fettle",
      user: ConnectionOptions.Login.backup.rawValue
    )
    outcome.differences += try await Self.with(parameters) { database in
      var differences = try await DatabaseCensus.take(database).differences(from: manifest)
      guard manifest.files.snapshot != nil else { return differences }
      let present = Set(StoredFiles.paths(in: "\(target)/blobs"))
      let missing = try await StoredFiles.named(by: database).filter { !present.contains($0) }.sorted()
      if let first = missing.first {
        differences.append(
          "\(missing.count) files are missing, which were stored after the last backup of files; the first is \(first)"
        )
      }
      return differences
    }
    // After the comparison, which counts what the backup had, and before anybody can connect.
    let replay = try await eraseAgain(cluster, scratch)
    outcome.erased = replay.erased
    outcome.differences += replay.failures
    outcome.differences += StoredFiles.damaged(in: "\(target)/blobs").map {
      "the file \($0) has another content"
    }
    let verification = try await Self.fettle(["verify"], home: target)
    outcome.isVerified = verification.status == 0
    if !outcome.isVerified { outcome.differences.append("`fettle verify`: \(verification.lastWords)") }
    return outcome
  }

  /// Erases again what was erased since the backup, and keeps the ledger with the restored data.
  private func eraseAgain(_ cluster: EmbeddedCluster, _ scratch: String) async throws -> ErasureReplay.Outcome
  {
    let saved = try BackupFolder(path: scratch).ledger.read()
    let entries = saved + (try ledger?.read() ?? []).filter { !saved.contains($0) }
    guard !entries.isEmpty else { return ErasureReplay.Outcome() }
    let parameters = cluster.connectionParameters(
      database: "fettle",
      user: ConnectionOptions.Login.admin.rawValue
    )
    return try await Self.with(parameters) { database in
      try await ErasureReplay(
        database,
        DiskStore(path: "\(target)/blobs"),
        ErasureLedger(path: "\(target)/fettle.erasures"),
        actor: .operator("restore")
      ).run(entries)
    }
  }

  /// Runs this program on an installation.
  private static func fettle(_ arguments: [String], home: String) async throws -> Tool.Outcome {
    let path = realpath("/proc/self/exe", nil)
    defer { free(path) }
    let program = path.map { String(cString: $0) } ?? CommandLine.arguments[0]
    return try await Tool(program, variables: ["FETTLE_HOME=\(home)"]).run(arguments)
  }

  private static func with<Value>(_ parameters: [String: String], _ body: (Database) async throws -> Value)
    async throws
    -> Value
  {
    try await Database(.init(parameters: parameters, poolSize: 1)).thenClose(body)
  }
}
