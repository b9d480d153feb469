internal import Glibc

/// The data folder of a PostgreSQL on this machine: Fettle's own or another one.
package struct ServerData: Sendable {
  /// The data folder.
  package let folder: String
  /// The folder of the server's Unix socket.
  package let socketDirectory: String
  /// The port in the name of the socket.
  package let port: Int
  let user: ServerUser

  /// Finds the running server of a data folder.
  ///
  /// - Throws: ``ClusterError`` of kind `homeUnusable` if the folder has no server that this user can find.
  package init(running folder: String) throws(ClusterError) {
    self.folder = SystemFile.canonical(folder)
    let owner = SystemFile.status(of: self.folder)
    guard let owner, owner.st_mode & S_IFMT == S_IFDIR,
      let file = PostmasterFile.read("\(self.folder)/postmaster.pid"),
      let port = file.port, let socketDirectory = file.socketDirectory, ServerProcesses.exists(file.pid)
    else {
      throw ClusterError(
        .homeUnusable,
        "no PostgreSQL with a Unix socket is running in \(self.folder), or this user may not see it",
        hint: "start it, and run the command as the owner of the folder or as root"
      )
    }
    self.port = port
    self.socketDirectory = socketDirectory
    user = try ServerUser.choose(for: self.folder)
  }

  /// Describes a data folder whose server need not run, and need not exist any more.
  package init(owning folder: String) throws(ClusterError) {
    self.folder = SystemFile.canonical(folder)
    let file = PostmasterFile.read("\(self.folder)/postmaster.pid")
    port = file?.port ?? 5432
    socketDirectory = file?.socketDirectory ?? "/var/run/postgresql"
    user = try ServerUser.choose(for: self.folder)
  }

  /// Describes an embedded cluster, which need not run.
  package init(_ cluster: EmbeddedCluster) throws(ClusterError) {
    folder = cluster.data
    socketDirectory = cluster.socketDirectory
    port = cluster.port
    user = try ServerUser.choose(for: cluster.directory)
    try cluster.prepareFolders(user)
  }

  /// Returns a program that runs as the owner of the data.
  package func tool(_ path: String) -> Tool { Tool(path, as: user) }

  /// Runs statements as the superuser and returns their output, a line for each row.
  @discardableResult
  package func psql(_ statements: [String], database: String = "postgres") async throws -> String {
    let connection = [
      "--host", socketDirectory, "--port", "\(port)", "--username", "postgres", "--dbname", database,
    ]
    let options = ["--no-psqlrc", "--tuples-only", "--no-align", "--quiet", "--set", "ON_ERROR_STOP=1"]
    return try await tool(Tool.find("psql", package: "postgresql-client")).done(
      connection + options + statements.flatMap { ["--command", $0] },
      hint: "check that the owner of \(folder) may connect as the superuser postgres"
    )
  }

  /// Creates a folder that belongs to the owner of the data, with mode 0700.
  ///
  /// - Throws: ``ClusterError`` of kind `homeUnusable` if the owner cannot enter the folders above it.
  package func makeFolder(_ path: String) throws(ClusterError) {
    try SystemFile.makeDirectory(path, mode: 0o700, owner: user)
    if let obstacle = user.obstacle(to: path) {
      throw ClusterError(
        .homeUnusable,
        "the server's user \(user.name) may not enter \(obstacle)",
        hint: "choose another folder, or run `chmod o+x \(obstacle)`"
      )
    }
  }

  /// Writes a file that only the owner of the data can read.
  package func write(_ text: String, to path: String) throws(ClusterError) {
    try SystemFile.replace(path, with: text, owner: user)
  }

  /// Gives a restored data folder a configuration of Fettle's, unless it has one: a cluster of Debian keeps its own in
  /// `/etc`, and that of another one would listen elsewhere. What is replaced is kept beside it.
  ///
  /// - Returns: settings for the first start, with which only this machine's root and the owner of the data can connect,
  ///   whatever the files say, and nothing is archived.
  package func adoptConfiguration() throws(ClusterError) -> [String: String] {
    let files = [
      "postgresql.conf": ServerConfiguration.main, "pg_hba.conf": ServerConfiguration.clientAuthentication,
    ]
    let isOwn = SystemFile.text(at: "\(folder)/postgresql.conf")?.contains("\ninclude 'fettle.conf'") == true
    for (name, text) in files where !isOwn {
      rename("\(folder)/\(name)", "\(folder)/\(name).origin")
      try SystemFile.replace("\(folder)/\(name)", with: text, owner: user)
    }
    let access = "\(folder)/restore_hba.conf"
    try SystemFile.replace(access, with: "local all all trust\n", owner: user)
    return [
      "listen_addresses": "", "port": "\(port)", "unix_socket_directories": socketDirectory,
      "unix_socket_permissions": "0700", "hba_file": access, "archive_mode": "off", "ssl": "off",
      "shared_preload_libraries": "",
      // Connections are refused until the recovery has ended, and settings of the origin cannot stop it.
      "hot_standby": "off",
    ]
  }

  /// Removes what ``adoptConfiguration()`` made for the first start.
  package func forgetFirstStart() { unlink("\(folder)/restore_hba.conf") }
}
