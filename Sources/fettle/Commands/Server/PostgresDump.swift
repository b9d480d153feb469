internal import Cluster
internal import CoreCommands
internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Postgres
internal import Store

/// A dump of all databases of a cluster, and what a copy must be equal to.
struct PostgresDump {
  /// One database.
  private struct Content {
    let name: String
    let sums: DatabaseSums
    /// True for a database with Fettle's schema.
    let isFettle: Bool
  }

  private let folder: String
  private let contents: [Content]
  /// The epoch of the data, those that it replaced, and the checks of `fettle doctor` that fail; nil without Fettle's
  /// schema.
  private let standing: (epoch: UUID, replaced: [UUID], faults: Set<String>)?

  /// The number of tables and sequences.
  var relations: Int { contents.map(\.sums.count).reduce(0, +) }

  /// Dumps a cluster that nobody writes to, with the programs of the version that is to read the dump.
  ///
  /// - Throws: `unavailable` without space for the dump and the copy.
  static func write(_ origin: EmbeddedCluster, _ programs: PostgresBinaries, to folder: String) async throws
    -> PostgresDump
  {
    let (names, size) = try await origin.with("postgres") { database in
      let found = try await database.rows(
        "select d.datname, pg_database_size(d.oid) from pg_database d where d.datallowconn and not d.datistemplate",
        String.self,
        Int64.self
      )
      return (found.map(\.0), found.map(\.1).reduce(0, +))
    }
    try FileManager.default.createDirectory(
      atPath: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    try requireSpace(for: size, in: folder)
    let place = connection(origin)
    try await Tool(programs.path("pg_dumpall")).done(
      place + ["--globals-only", "--file", "\(folder)/globals"]
    )
    var contents: [Content] = []
    for (index, name) in names.enumerated() {
      let (sums, isFettle) = try await origin.with(name) { database in
        (
          try await DatabaseSums.take(database),
          try await database.value("select to_regclass('core.installation') is not null", as: Bool.self)
        )
      }
      contents.append(Content(name: name, sums: sums, isFettle: isFettle))
      try await Tool(programs.path("pg_dump")).done(
        place + ["--dbname", ConnectionString.text(["dbname": name]), "--format=directory", "--compress=1"]
          + ["--jobs", "\(jobs)", "--file", "\(folder)/\(index)"]
      )
    }
    guard contents.contains(where: { $0.name == "fettle" && $0.isFettle }) else {
      return PostgresDump(folder: folder, contents: contents, standing: nil)
    }
    let standing = try await origin.with("fettle") { database in
      let epochs = try await database.first(
        "select i.epoch, i.replaced from core.installation i",
        UUID.self,
        [UUID].self
      )
      let faults = try await HealthCheck(database).run().filter { $0.state == .failed }.map(\.check)
      return epochs.map { ($0, $1, Set(faults)) }
    }
    return PostgresDump(folder: folder, contents: contents, standing: standing)
  }

  /// Restores everything into a new cluster: roles with their passwords, databases, rights, statistics.
  func restore(into copy: EmbeddedCluster, _ programs: PostgresBinaries) async throws {
    // The superuser is there already.
    let globals = try String(contentsOfFile: "\(folder)/globals", encoding: .utf8)
      .split(separator: "\n").filter { $0 != "CREATE ROLE postgres;" }.joined(separator: "\n")
    try BackupFolder.write(globals + "\n", to: "\(folder)/roles")
    let place = Self.connection(copy)
    let options = ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", "postgres"]
    try await Tool(programs.path("psql")).done(place + options + ["--file", "\(folder)/roles"])
    let restore = DumpRestore(program: programs.path("pg_restore"), cluster: copy, jobs: Self.jobs)
    for (index, content) in contents.enumerated() {
      try await restore.run("\(folder)/\(index)", into: content.name == "postgres" ? "postgres" : nil)
    }
    for content in contents where content.isFettle {
      try await copy.with(content.name) { try await Installation.prepareRoles(superuser: $0) }
    }
    try await Tool(programs.path("vacuumdb")).done(
      place + ["--all", "--analyze-only", "--quiet", "--jobs", "\(Self.jobs)"]
    )
  }

  /// Compares every table and sequence.
  ///
  /// - Throws: `wrong_state` with the names of those that differ.
  func compare(with copy: EmbeddedCluster) async throws {
    for content in contents {
      let sums = try await copy.with(content.name) { try await DatabaseSums.take($0) }
      let differences = content.sums.differences(in: sums)
      guard !differences.isEmpty else { continue }
      throw DomainError(
        .wrongState,
        "the copy of \(content.name) differs in \(differences.prefix(5).joined(separator: ", "))",
        hint: "try again, and report this with the versions of PostgreSQL"
      )
    }
  }

  /// Takes over the open jobs, whose rows name transactions of the old cluster, and keeps the epoch: nothing was lost.
  ///
  /// - Returns: the number of open jobs.
  /// - Throws: `unavailable` if `fettle doctor` would report a fault that the old version has not.
  func adopt(_ copy: EmbeddedCluster) async throws -> Int {
    guard let (epoch, replaced, faults) = standing else { return 0 }
    let admin = ConnectionOptions.Login.admin.rawValue
    let jobs = try await copy.with("fettle", user: admin) { try await Restoration.adopt($0) }
    let findings = try await copy.with("fettle") { database in
      _ = try await database.execute(
        """
        update core.installation
        set epoch = \(epoch), replaced = \(replaced), kept_until = now() + interval '1 hour'
        """
      )
      return try await HealthCheck(database).run()
    }
    if let fault = findings.first(where: { $0.state == .failed && !faults.contains($0.check) }) {
      throw DomainError(
        .unavailable,
        "with the new version, `fettle doctor` would report \(fault.check): \(fault.finding)",
        hint: fault.remedy
      )
    }
    return jobs ?? 0
  }

  /// The number of tables that are written or read at once.
  private static var jobs: Int { min(4, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  private static func connection(_ cluster: EmbeddedCluster) -> [String] {
    [
      "--host", cluster.socketDirectory, "--port", "\(cluster.port)", "--username", "postgres",
      "--no-password",
    ]
  }

  /// Requires space for the dump, the copy and its log.
  private static func requireSpace(for size: Int64, in folder: String) throws {
    var disk = statvfs()
    guard statvfs(folder, &disk) == 0 else { return }
    let free = Int64(clamping: disk.f_bavail).multipliedReportingOverflow(by: Int64(clamping: disk.f_frsize))
    let needed = size + size / 2 + 512 << 20
    guard !free.overflow, free.partialValue < needed else { return }
    throw DomainError(
      .unavailable,
      "the dump and the copy need \(needed >> 20) MB beside the data, and \(free.partialValue >> 20) MB are free",
      hint: "free space on the disk of \(folder)"
    )
  }
}

extension EmbeddedCluster {
  /// Runs a body with a database of this cluster, then closes the connection.
  func with<Value>(
    _ name: String,
    user: String = "postgres",
    _ body: (Database) async throws -> Value
  ) async throws -> Value {
    let parameters = connectionParameters(database: name, user: user)
    return try await Database(.init(parameters: parameters, poolSize: 1)).thenClose(body)
  }
}
