/// The text of the configuration files of one cluster.
struct ServerConfiguration {
  let layout: ClusterLayout
  let durable: Bool

  /// The file that belongs to the operator: it reads ours first, so whatever is added to it wins.
  static let main = """
    # Fettle's own settings, written anew at every start.
    include 'fettle.conf'

    # Yours go below; they win.

    """

  /// Who may connect.
  ///
  /// The folder of the socket has mode 0700, so only its owner and root get as far as the socket at all. Maps of
  /// `peer` could say the same only by listing every role: `all` in pg_ident.conf came with version 16.
  static let clientAuthentication = """
    # The socket's folder lets in the user that runs the server, and root, and nobody else.
    # Those may be any role without a password.
    local all all trust
    local replication all trust
    # On the loopback port of `fettle up --port` only reporting logins, by password.
    host all fettle_report,+fettle_report_company 127.0.0.1/32 scram-sha-256

    """

  /// The file that belongs to us, written at every start because paths and versions change.
  var fettle: String {
    """
    # Written by Fettle at every start: changes here are lost. Put yours in postgresql.conf.
    cluster_name = '\(layout.name)'
    listen_addresses = '\(layout.tcpPort == nil ? "" : "127.0.0.1")'
    port = \(layout.port)
    unix_socket_directories = '\(quoted(layout.socketDirectory))'
    unix_socket_permissions = 0700
    max_connections = \(durable ? 100 : 800)
    shared_buffers = 128MB
    password_encryption = scram-sha-256
    # What a command that was killed had asked for is not computed to its end.
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

  /// For tests, many of which share one server, hence the connections. A killed server still loses nothing, since what it wrote is in the system's cache: only a
  /// power cut would. So synchronous_commit stays on, and tests of kill -9 mean what they say.
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
