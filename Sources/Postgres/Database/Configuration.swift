extension Database {
  /// Where the database is and how many connections may be used.
  public struct Configuration: Sendable {
    /// Connection parameters of libpq, such as `host`, `dbname` or `service`.
    ///
    /// They are expanded as `psql` does: what is missing comes from `PG*` variables, service files and
    /// `.pgpass`, and `dbname` may be a whole URL. Given here they win over this library's defaults.
    public var parameters: [String: String]
    /// Parameters that replace others where a pooler in between would be in the way: for
    /// ``Database/session(_:)`` and ``Database/listen(_:)``.
    public var directParameters: [String: String]
    /// How many connections the pool may hold, each with a thread of its own.
    public var poolSize: Int
    /// How many of them one ``TransactionOptions/poolKey`` may hold at a time; `nil` for all.
    public var maxPerKey: Int?
    /// How long to wait for a connection to become free before ``PostgresError/Kind/poolTimeout``.
    public var leaseTimeout: Duration
    /// How old a connection may become before it is replaced.
    public var maxLifetime: Duration
    /// How long to go on asking what became of a commit whose answer was lost.
    public var resolveTimeout: Duration
    /// How long to bear silence during a round trip before asking whether the server is still at work on it; `nil` for
    /// ever.
    ///
    /// A statement may take as long as it likes: the question goes to the server, over another connection. When the
    /// process there has nothing to do, or is gone, the connection is given up: an error of the kind
    /// ``PostgresError/Kind/connection``, or ``PostgresError/Kind/unknownOutcome`` where a commit was under way. It is
    /// what finds out about a proxy that holds connections open and passes nothing on, which keep-alives do not.
    /// The rows of a `COPY` are waited for without it.
    public var patience: Duration?
    /// Whether statements are kept prepared; must be false behind pgbouncer's transaction pooling.
    ///
    /// Switched off by itself for all connections when the server forgets a prepared statement.
    public var prepared: Bool
    /// How the connections are called in `pg_stat_activity`.
    public var applicationName: String
    /// Runs on each new connection before it is used; when it throws, the connection is closed.
    public var onConnect: (@Sendable (Session) throws -> Void)?
    /// Sees the statements of every round trip before they are sent; for measuring and for tests.
    package var onRoundTrip: (@Sendable ([SQL]) -> Void)?

    /// How long a listener bears silence before it asks whether the server is still there.
    var probeInterval: Duration = .seconds(4)
    /// How long it waits for an answer before it takes the connection for dead.
    var probePatience: Duration = .seconds(5)

    /// A configuration with working defaults; without parameters it connects where `psql` would.
    public init(
      parameters: [String: String] = [:],
      directParameters: [String: String] = [:],
      poolSize: Int = 10,
      maxPerKey: Int? = nil,
      leaseTimeout: Duration = .seconds(10),
      maxLifetime: Duration = .seconds(3600),
      resolveTimeout: Duration = .seconds(30),
      patience: Duration? = nil,
      prepared: Bool = true,
      applicationName: String = "swift-postgres",
      onConnect: (@Sendable (Session) throws -> Void)? = nil
    ) {
      self.parameters = parameters
      self.directParameters = directParameters
      self.poolSize = poolSize
      self.maxPerKey = maxPerKey
      self.leaseTimeout = leaseTimeout
      self.maxLifetime = maxLifetime
      self.resolveTimeout = resolveTimeout
      self.patience = patience
      self.prepared = prepared
      self.applicationName = applicationName
      self.onConnect = onConnect
    }

    /// The parameters in the order libpq gets them: of two with one name the later wins.
    func connectionParameters(direct: Bool) -> [(String, String)] {
      var ours = [
        // A dead network must not hold a thread for ever.
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
      // `dbname` first: it may be a URL, whose parts replace what stands before it and yield to what follows.
      let name = given.removeValue(forKey: "dbname").map { [("dbname", $0)] } ?? []
      return ours.sorted { $0.key < $1.key } + name + given.sorted { $0.key < $1.key }
        + [("client_encoding", "UTF8")]
    }
  }
}
