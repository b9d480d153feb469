package import ArgumentParser
internal import Cluster
internal import Domain
internal import FoundationEssentials
package import Postgres
package import Store
internal import Synchronization
internal import Terminal

/// The database of a command: named on the command line or in the environment, or the embedded one.
package struct ConnectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Connection string or URL of the database, without a password (default: DATABASE_URL, the PG* variables of psql, \
      or the PostgreSQL of `fettle up`)
      """,
      valueName: "url"
    )
  )
  package var database: String?

  @Flag(help: "Ask for the password of the database login")
  package var askPassword = false

  package init() {}

  /// The database role of a command, unless the connection names one.
  package enum Login: String {
    case admin = "fettle_admin"
    /// Becomes the owner of the schema, to migrate it and to install apps.
    case migrator = "fettle_migrator"
    case worker = "fettle_worker"
    /// The server of the HTTP API.
    case app = "fettle_app"
    case report = "fettle_report"
    /// Reads every row and writes nothing.
    case backup = "fettle_backup"
  }

  /// True if the database is that of `fettle up`, because none is named.
  package var isEmbedded: Bool {
    let environment = ProcessInfo.processInfo.environment
    let variables = ["DATABASE_URL"] + Self.placeVariables
    return database == nil && variables.allSatisfy { environment[$0]?.isEmpty != false }
  }

  /// The variables of psql that name a database.
  private static let placeVariables = ["PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE", "PGPORT"]

  /// Refuses a password on the command line, because every process on the machine can read it.
  package func validate() throws {
    guard let database, ConnectionString(database)?.secrets.isEmpty == false else { return }
    throw ValidationError(
      "--database contains a password, which every process on this machine can read: "
        + "use PGPASSWORD, a service file, .pgpass or --ask-password, and change this one"
    )
  }

  /// Opens a pool. Nothing is sent before the first statement.
  ///
  /// - Parameters:
  ///   - probeAfter: time without a response after which the server is probed; nil for never.
  ///   - rule: the accepted logins; each new connection is checked.
  ///   - adjust: changes the limits of the pool.
  /// - Throws: `unavailable` if no database is named and the embedded one is missing or not running,
  ///   `invalid_input` for a connection string that cannot be read.
  package func open(
    as login: Login,
    poolSize: Int = 2,
    probeAfter: Duration? = nil,
    accepting rule: LoginRule = .bound,
    adjust: (inout Database.Configuration) -> Void = { _ in }
  ) throws -> Database {
    var configuration = Database.Configuration(
      parameters: try parameters(for: login),
      poolSize: poolSize,
      probeAfter: probeAfter,
      applicationName: "fettle",
      onConnect: rule.check
    )
    let environment = ProcessInfo.processInfo.environment
    configuration.prepared = environment["FETTLE_PREPARED"] != "off"
    if let direct = environment["FETTLE_DIRECT_URL"], !direct.isEmpty {
      _ = try Self.parsed(direct, from: "FETTLE_DIRECT_URL")
      configuration.directParameters = ["dbname": direct]
    }
    adjust(&configuration)
    return Database(configuration)
  }

  /// Returns the connection parameters for libpq.
  ///
  /// - Throws: as ``open(as:poolSize:probeAfter:accepting:)``.
  package func parameters(for login: Login) throws -> [String: String] {
    let environment = ProcessInfo.processInfo.environment
    let password = try askPassword ? ["password": AskedPassword.value()] : [:]
    if let url = database ?? environment["DATABASE_URL"], !url.isEmpty {
      let named = try Self.parsed(url, from: database == nil ? "DATABASE_URL" : "--database").parameters
      let user = named["user"] == nil ? ["user": login.rawValue] : [:]
      return user.merging(password) { $1 }.merging(["dbname": url]) { $1 }
    }
    if Self.placeVariables.contains(where: { environment[$0]?.isEmpty == false }) {
      return environment["PGUSER"]?.isEmpty == false
        ? password : password.merging(["user": login.rawValue]) { $1 }
    }
    let cluster = EmbeddedCluster(home: try ClusterHome.locate())
    guard cluster.isInitialised else {
      throw DomainError(
        .unavailable,
        "no database is named, and there is no embedded one here",
        hint: "run `fettle up` in another terminal, or set FETTLE_HOME or DATABASE_URL"
      )
    }
    guard cluster.isRunning else {
      throw DomainError(
        .unavailable,
        "the embedded PostgreSQL in \(cluster.directory) is not running",
        hint: "start it with `fettle up` in another terminal"
      )
    }
    return cluster.connectionParameters(database: "fettle", user: login.rawValue)
  }

  /// Parses a connection string. The error does not quote it, because it may contain a password.
  private static func parsed(_ text: String, from source: String) throws -> ConnectionString {
    if let string = ConnectionString(text) { return string }
    throw DomainError(
      .invalidInput,
      "\(source) is not a connection string or URL of PostgreSQL",
      hint: "write it like postgres://host/fettle or \"host=… dbname=fettle\""
    )
  }
}

/// The password of the database, for which a process asks once.
private enum AskedPassword {
  private static let answer = Mutex<String?>(nil)

  static func value() throws -> String {
    if let known = answer.withLock(\.self) { return known }
    let password = try SecretSource.prompt("Password of the database: ").read()
    answer.withLock { $0 = password }
    return password
  }
}

extension ConnectionOptions.Login: ExpressibleByArgument, CaseIterable {
  package static var allCases: [Self] { [.admin, .worker, .report] }

  /// The login on the command line: `report` for `fettle_report`.
  package var word: String { String(rawValue.dropFirst("fettle_".count)) }

  package init?(argument: String) {
    guard let login = Self.allCases.first(where: { $0.word == argument || $0.rawValue == argument }) else {
      return nil
    }
    self = login
  }

  package static var allValueStrings: [String] { allCases.map(\.word) }
  package static var allValueDescriptions: [String: String] { [:] }
  package var defaultValueDescription: String { word }
}
