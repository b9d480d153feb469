package import Cluster
internal import FoundationEssentials
package import Postgres
internal import Store

/// A migrated database for one suite, on the PostgreSQL that the test process started.
///
/// The first one migrates a template; the others are copies of it, made in a fraction of a second. Each takes 20 MB of
/// memory or disk until the process ends, or until the body of ``withOwn(_:)``.
package struct TestDatabase: Sendable {
  /// The connection parameters without the user.
  package let parameters: [String: String]

  /// Returns a new copy of the migrated template.
  package static func make() async throws -> TestDatabase {
    let template = try await Template.shared.name()
    let name = "test_\(UUID().uuidString.lowercased().filter { $0 != "-" })"
    let cluster = try await EphemeralCluster.shared()
    try await withSuperuser(cluster, database: "postgres") { superuser in
      // The files are copied without WAL: there are hundreds of copies, and none outlives its server.
      try await superuser.execute(
        "create database \(identifier: name) template \(identifier: template) strategy file_copy"
      )
    }
    // Privileges on a database are not copied with it.
    try await withSuperuser(cluster, database: name) { superuser in
      try await prepareRoles(superuser)
    }
    var parameters = cluster.connectionParameters(database: name)
    parameters["user"] = nil
    return TestDatabase(parameters: parameters)
  }

  /// Runs a body with a database of its own, which is dropped after it.
  package static func withOwn<Value>(_ body: (TestDatabase) async throws -> Value) async throws -> Value {
    let database = try await make()
    do {
      let value = try await body(database)
      try await database.drop()
      return value
    } catch {
      try? await database.drop()  // the error of the body says more, and the process drops what is left
      throw error
    }
  }

  /// Drops it, and closes what is connected to it.
  private func drop() async throws {
    let cluster = try await EphemeralCluster.shared()
    guard let name = parameters["dbname"] else { return }
    try await Self.withSuperuser(cluster, database: "postgres") { superuser in
      try await superuser.execute("drop database \(identifier: name) with (force)")
    }
  }

  /// Returns a migrated database in a cluster of the test's own, which the test may stop and kill.
  package static func make(in cluster: EmbeddedCluster) async throws -> TestDatabase {
    let name = "fettle"
    try await install(name, in: cluster)
    var parameters = cluster.connectionParameters(database: name)
    parameters["user"] = nil
    return TestDatabase(parameters: parameters)
  }

  /// Returns an empty database without migrations.
  ///
  /// - Parameter given: the cluster; nil for the shared one.
  package static func makeEmpty(in given: EmbeddedCluster? = nil) async throws -> TestDatabase {
    let cluster: EmbeddedCluster
    if let given { cluster = given } else { cluster = try await EphemeralCluster.shared() }
    let name = "empty_\(UUID().uuidString.lowercased().filter { $0 != "-" })"
    try await withSuperuser(cluster, database: "postgres") { superuser in
      try await Installation.createDatabase(name, superuser: superuser)
    }
    var parameters = cluster.connectionParameters(database: name)
    parameters["user"] = nil
    return TestDatabase(parameters: parameters)
  }

  /// Returns a pool connected as a role, such as `fettle_app`; `postgres` is the superuser. The default can
  /// install apps, and reads like `fettle_admin`.
  package func connect(as user: String = "fettle_migrator", poolSize: Int = 4) -> Database {
    var parameters = parameters
    parameters["user"] = user
    var configuration = Database.Configuration(
      parameters: parameters,
      poolSize: poolSize,
      applicationName: "tests"
    )
    // Long enough for a busy machine.
    configuration.leaseTimeout = .seconds(1_200)
    return Database(configuration)
  }

  fileprivate static func install(_ name: String, in cluster: EmbeddedCluster) async throws {
    try await withSuperuser(cluster, database: "postgres") { superuser in
      try await Installation.createDatabase(name, superuser: superuser)
    }
    try await withSuperuser(cluster, database: name) { superuser in
      try await prepareRoles(superuser)
    }
    var parameters = cluster.connectionParameters(database: name)
    parameters["user"] = "fettle_migrator"
    let admin = Database(Database.Configuration(parameters: parameters, poolSize: 1))
    do {
      // From the beginning, because the files of tables call functions and run once.
      _ = try await Installation.install(admin, core: Mutation.given?.schema())
      await admin.close()
    } catch {
      await admin.close()
      throw error
    }
  }

  /// Runs the script of the database roles, as an operator does to restore rights and limits.
  package static func prepareRoles(_ superuser: Database) async throws {
    let statements = try Mutation.given?.roles() ?? Installation.roleStatements
    try await Installation.prepareRoles(superuser: superuser, statements: statements)
    // All suites of the process share the login and its limit.
    let isLimited: SQL = "select rolconnlimit < 300 from pg_roles where rolname = 'fettle_report'"
    if try await superuser.value(isLimited, as: Bool.self) {
      try await superuser.execute("alter role fettle_report connection limit 300")
    }
  }

  fileprivate static func withSuperuser(
    _ cluster: EmbeddedCluster,
    database: String,
    _ body: (Database) async throws -> Void
  ) async throws {
    let superuser = Database(
      Database.Configuration(parameters: cluster.connectionParameters(database: database), poolSize: 1)
    )
    do {
      try await body(superuser)
      await superuser.close()
    } catch {
      await superuser.close()
      throw error
    }
  }
}

/// The template of all databases. No client stays connected to it: PostgreSQL cannot copy a database in use.
private actor Template {
  static let shared = Template()

  private var making: Task<String, any Error>?

  func name() async throws -> String {
    if let making { return try await making.value }
    // An unstructured task: all suites wait for it, and none may cancel it for the others.
    let task = Task { try await Self.make() }
    making = task
    return try await task.value
  }

  private static func make() async throws -> String {
    let name = "fettle_template"
    let cluster = try await EphemeralCluster.shared()
    try await TestDatabase.withSuperuser(cluster, database: "postgres") { superuser in
      // It would start a process for each of hundreds of databases every minute, and change plans at moments of its own.
      try await superuser.execute("alter system set autovacuum = off")
      try await superuser.execute("select pg_reload_conf()")
    }
    StallWatch.begin(cluster)
    try await TestDatabase.install(name, in: cluster)
    return name
  }
}
