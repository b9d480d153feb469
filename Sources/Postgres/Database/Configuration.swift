extension Database {
  /// The connection parameters of a database and the limits of its pool.
  ///
  /// ```swift
  /// let configuration = Database.Configuration(
  ///   parameters: ["service": "library"], poolSize: 8, applicationName: "library")
  /// ```
  ///
  /// A ``Database`` copies its configuration: later changes have no effect.
  public struct Configuration: Sendable {
    /// Connection parameters of libpq, such as `host`, `dbname` or `service`.
    ///
    /// They are expanded as `psql` does: missing ones come from `PG*` variables, service files and `.pgpass`,
    /// and `dbname` may be a whole URL. They override this library's defaults: `connect_timeout` 5 s, TCP
    /// keep-alives after 30 s, `tcp_user_timeout` 10 s. `client_encoding` is always UTF8.
    public var parameters: [String: String]
    /// Parameters that replace others for connections that must bypass a pooler: those of
    /// ``Database/session(_:)`` and ``Database/listen(_:)``. Without any, these connect like pooled
    /// connections.
    public var directParameters: [String: String]
    /// Maximum number of pooled connections, each with a thread of its own; at least 1. Default: 10.
    ///
    /// Sessions, listeners and probes are not counted.
    public var poolSize: Int
    /// Maximum number of connections that one ``TransactionOptions/poolKey`` may hold at a time, at least 1;
    /// `nil` for no limit. Default: `nil`.
    public var maxPerKey: Int?
    /// Maximum time to wait for a free connection; ``PostgresError/Kind/poolTimeout`` after that. Default: 10
    /// seconds.
    ///
    /// The time to connect is not included.
    public var leaseTimeout: Duration
    /// Maximum number of requests that wait for a free connection; a further one fails at once with
    /// ``PostgresError/Kind/poolTimeout``. `nil` for no limit. Default: `nil`.
    public var maxWaiting: Int?
    /// Maximum number of waiting requests of one ``TransactionOptions/poolKey``, as ``maxWaiting``; requests
    /// without a key are not limited. `nil` for no limit. Default: `nil`.
    public var maxWaitingPerKey: Int?
    /// Maximum age of a connection, after which it is replaced. Checked when a connection is taken from the
    /// pool or returned, so a running transaction is never interrupted. Default: 1 hour.
    public var maxLifetime: Duration
    /// Maximum time to query the outcome of a commit whose response was lost; see
    /// ``TransactionOptions/resolvesLostCommit``. Default: 30 seconds.
    public var resolveTimeout: Duration
    /// Time without any response during a round trip after which the server is probed; `nil`, the default,
    /// never probes.
    ///
    /// A statement may take any time: the probe asks on a second connection whether the server still executes
    /// it. If the server process is idle or gone, the connection is given up with an error of kind
    /// ``PostgresError/Kind/connection``, or ``PostgresError/Kind/unknownOutcome`` while a commit was
    /// pending. This detects proxies that hold connections open without forwarding anything, which TCP
    /// keep-alives do not. While the server executes the statement, the time between two probes doubles, up
    /// to a minute. The data of a `COPY` is transferred without probes.
    public var probeAfter: Duration?
    /// True to keep up to 256 statements per connection prepared. Set it to false behind a pooler in
    /// transaction mode that does not track prepared statements; see <doc:Poolers>. Default: true.
    ///
    /// Turned off automatically for all connections of the database if the server loses a prepared statement.
    public var prepared: Bool
    /// The `application_name` in `pg_stat_activity`, unless ``parameters`` or `PGAPPNAME` set one.
    public var applicationName: String
    /// Runs on each new connection before its first use, on the connection's thread. If it throws, the
    /// connection is closed and its error is thrown to the caller who needed the connection; a listener tries
    /// again.
    ///
    /// Also runs for sessions and listeners, but not for probes.
    public var onConnect: (@Sendable (Session) throws -> Void)?
    /// Called with the statements of each round trip before their results are read, on the connection's
    /// thread; for measurements and tests. `COPY` statements are not included.
    package var onRoundTrip: (@Sendable ([SQL]) -> Void)?

    /// Time without notifications after which a listener probes the server.
    var probeInterval: Duration = .seconds(4)
    /// Maximum time to wait for the response to that probe, and to the initial `listen`.
    var probeTimeout: Duration = .seconds(5)

    /// Creates a configuration with working defaults; without parameters it connects where `psql` would.
    public init(
      parameters: [String: String] = [:],
      directParameters: [String: String] = [:],
      poolSize: Int = 10,
      maxPerKey: Int? = nil,
      leaseTimeout: Duration = .seconds(10),
      maxWaiting: Int? = nil,
      maxWaitingPerKey: Int? = nil,
      maxLifetime: Duration = .seconds(3600),
      resolveTimeout: Duration = .seconds(30),
      probeAfter: Duration? = nil,
      prepared: Bool = true,
      applicationName: String = "swift-postgres",
      onConnect: (@Sendable (Session) throws -> Void)? = nil
    ) {
      self.parameters = parameters
      self.directParameters = directParameters
      self.poolSize = poolSize
      self.maxPerKey = maxPerKey
      self.leaseTimeout = leaseTimeout
      self.maxWaiting = maxWaiting
      self.maxWaitingPerKey = maxWaitingPerKey
      self.maxLifetime = maxLifetime
      self.resolveTimeout = resolveTimeout
      self.probeAfter = probeAfter
      self.prepared = prepared
      self.applicationName = applicationName
      self.onConnect = onConnect
    }

    /// Returns the parameters in libpq's order: the later of two with the same name wins.
    ///
    /// - Parameter direct: true to apply ``directParameters``.
    func connectionParameters(direct: Bool) -> [(String, String)] {
      var ours = [
        // An unreachable network must not block a thread indefinitely.
        "connect_timeout": "5",
        "keepalives_idle": "30",
        "keepalives_interval": "5",
        "keepalives_count": "3",
        "tcp_user_timeout": "10000",
        "fallback_application_name": applicationName,
      ]
      var given = parameters
      if direct { given.merge(directParameters) { _, direct in direct } }
      for name in given.keys { ours[name] = nil }
      // `dbname` first: it may be a URL, whose parts override earlier parameters and yield to later ones.
      let name = given.removeValue(forKey: "dbname").map { [("dbname", $0)] } ?? []
      return ours.sorted { $0.key < $1.key } + name + given.sorted { $0.key < $1.key }
        + [("client_encoding", "UTF8")]
    }
  }
}
