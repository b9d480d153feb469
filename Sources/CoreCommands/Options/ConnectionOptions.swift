package import ArgumentParser
internal import Cluster
internal import Domain
internal import FoundationEssentials
package import Postgres

/// The database of a command: named on the command line or in the environment, or the embedded one.
package struct ConnectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Connection string or URL of the database",
      discussion:
        "Default: DATABASE_URL, the PG* variables as psql reads them, or the PostgreSQL of `fettle up`.",
      valueName: "url"
    )
  )
  package var database: String?

  package init() {}

  /// The database role of a command, unless the connection names one.
  package enum Login: String {
    case admin = "fettle_admin"
    /// Becomes the owner of the schema, to migrate it and to install apps.
    case migrator = "fettle_migrator"
    case worker = "fettle_worker"
    case report = "fettle_report"
  }

  /// Opens a pool. Nothing is sent before the first statement.
  ///
  /// - Parameter probeAfter: time without a response after which the server is probed; nil for never.
  /// - Throws: `unavailable` if no database is named and the embedded one is missing or not running.
  package func open(as login: Login, poolSize: Int = 2, probeAfter: Duration? = nil) throws -> Database {
    var configuration = Database.Configuration(
      parameters: try parameters(for: login),
      poolSize: poolSize,
      probeAfter: probeAfter,
      applicationName: "fettle"
    )
    let environment = ProcessInfo.processInfo.environment
    configuration.prepared = environment["FETTLE_PREPARED"] != "off"
    if let direct = environment["FETTLE_DIRECT_URL"], !direct.isEmpty {
      configuration.directParameters = ["dbname": direct]
    }
    return Database(configuration)
  }

  /// Returns the connection parameters for libpq.
  ///
  /// - Throws: `unavailable` if no database is named and the embedded one is missing or not running.
  package func parameters(for login: Login) throws -> [String: String] {
    let environment = ProcessInfo.processInfo.environment
    if let url = database ?? environment["DATABASE_URL"], !url.isEmpty {
      return Self.namesUser(url) ? ["dbname": url] : ["user": login.rawValue, "dbname": url]
    }
    let usual = ["PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE", "PGPORT"]
    if usual.contains(where: { environment[$0]?.isEmpty == false }) {
      return environment["PGUSER"]?.isEmpty == false ? [:] : ["user": login.rawValue]
    }
    let cluster = EmbeddedCluster(home: try ClusterHome.locate())
    guard cluster.isInitialised else {
      throw DomainError(
        .unavailable,
        "no database is named, and there is no embedded one here",
        hint: "run `fettle up` in another terminal, or set DATABASE_URL"
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

  /// Returns true if a connection string names a user.
  private static func namesUser(_ text: String) -> Bool {
    if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
      let rest = text.drop { $0 != "/" }.dropFirst(2)
      let authority = rest.prefix { $0 != "/" && $0 != "?" }
      return authority.contains("@") && !authority.hasPrefix("@") && !authority.hasPrefix(":")
        || rest.contains("user=")
    }
    return text.split(separator: " ").contains { $0.hasPrefix("user=") }
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
  package var defaultValueDescription: String { word }
}
