/// The contents of the configuration files of one cluster.
struct ServerConfiguration {
  let layout: ClusterLayout
  let durable: Bool

  /// The initial `postgresql.conf`. The operator's settings override Fettle's, which are included first.
  static let main = """
    # Fettle's own settings, rewritten at every start.
    include 'fettle.conf'

    # Add your settings below; they override Fettle's.

    """

  /// The client authentication, `pg_hba.conf`.
  ///
  /// `trust` is safe because the folder of the socket has mode 0700: only its owner and root can reach the
  /// socket. A `peer` map would have to list every role, since PostgreSQL 15 does not know `all` in
  /// `pg_ident.conf`.
  static let clientAuthentication = """
    # Only root and the user that runs the server can enter the socket's folder.
    # They can connect as any role without a password.
    local all all trust
    local replication all trust
    # Only reporting logins can connect to the port of `fettle up --port`, with a password.
    host all fettle_report,+fettle_report_company 127.0.0.1/32 scram-sha-256

    """

  /// The contents of `fettle.conf`, rewritten at every start because paths, the port and the version can
  /// change.
  var fettle: String {
    """
    # Rewritten by Fettle at every start. Write your own settings to postgresql.conf.
    cluster_name = '\(layout.name)'
    listen_addresses = '\(layout.tcpPort == nil ? "" : "127.0.0.1")'
    port = \(layout.serverPort)
    unix_socket_directories = '\(quoted(layout.socketDirectory))'
    unix_socket_permissions = 0700
    max_connections = \(durable ? 100 : 800)
    shared_buffers = 128MB
    password_encryption = scram-sha-256
    # Cancels the statements of killed clients.
    client_connection_check_interval = 10s
    # Compiling takes longer than Fettle's queries.
    jit = off
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
    # `fettle backup init` replaces the command. Switching the mode on would need a restart.
    archive_mode = on
    archive_command = '/bin/true'
    """

  /// Settings of temporary clusters. Without fsync, only a power failure loses writes: those of a killed
  /// server are in the kernel's cache. synchronous_commit stays on, so that tests with kill -9 are
  /// meaningful.
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
