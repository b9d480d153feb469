/// The text of the configuration files of one cluster.
struct ServerConfiguration {
  let layout: ClusterLayout
  let durable: Bool

  /// The operator's file: it includes Fettle's settings first, so its own settings override them.
  static let main = """
    # Fettle's own settings, rewritten at every start.
    include 'fettle.conf'

    # Add your settings below; they override Fettle's.

    """

  /// Client authentication.
  ///
  /// The folder of the socket has mode 0700, so only its owner and root can reach the socket. A `peer` map
  /// would have to list every role: `all` in pg_ident.conf came with version 16.
  static let clientAuthentication = """
    # The socket's folder lets in the user that runs the server, and root, and nobody else.
    # Those may be any role without a password.
    local all all trust
    local replication all trust
    # On the loopback port of `fettle up --port` only reporting logins, by password.
    host all fettle_report,+fettle_report_company 127.0.0.1/32 scram-sha-256

    """

  /// Fettle's settings, rewritten at every start because paths and versions change.
  var fettle: String {
    """
    # Written by Fettle at every start: changes are lost. Put your settings into postgresql.conf.
    cluster_name = '\(layout.name)'
    listen_addresses = '\(layout.tcpPort == nil ? "" : "127.0.0.1")'
    port = \(layout.port)
    unix_socket_directories = '\(quoted(layout.socketDirectory))'
    unix_socket_permissions = 0700
    max_connections = \(durable ? 100 : 800)
    shared_buffers = 128MB
    password_encryption = scram-sha-256
    # Cancels the statements of clients that were killed.
    client_connection_check_interval = 10s
    timezone = 'UTC'
    log_timezone = 'UTC'
    datestyle = 'iso, ymd'
    lc_messages = 'C'
    lc_monetary = 'C.UTF-8'
    lc_numeric = 'C.UTF-8'
    lc_time = 'C.UTF-8'
    default_text_search_config = 'pg_catalog.english'
    log_destination = 'stderr'
    logging_collector = off
    log_min_messages = warning
    log_line_prefix = '%m [%p] %q%u@%d '
    log_checkpoints = off
    \(durable ? Self.lasting : Self.passing)

    """
  }

  private static let lasting = """
    fsync = on
    full_page_writes = on
    synchronous_commit = on
    max_wal_size = 1GB
    """

  /// For tests, and many tests share one server, hence the number of connections. A killed server loses
  /// nothing even without fsync: its writes are in the kernel's cache, and only a power failure would lose
  /// them. synchronous_commit stays on, so that tests of kill -9 are meaningful.
  private static let passing = """
    fsync = off
    full_page_writes = off
    synchronous_commit = on
    wal_level = minimal
    max_wal_senders = 0
    max_wal_size = 4GB
    """

  private func quoted(_ text: String) -> String {
    text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
  }
}
