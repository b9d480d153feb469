internal import Glibc

extension EmbeddedCluster {
  /// The outcome of `start()`.
  package enum Start: Equatable, Sendable {
    /// The server was running already, or another process started it.
    case adopted
    /// The server was started on existing data.
    case started
    /// The cluster was created, and its server started.
    case created
  }

  /// Ensures that the server is running: creates the cluster if it is missing, and starts the server if it is
  /// not running. Returns when the server accepts connections.
  ///
  /// Can be called by many processes at the same time; one of them does the work.
  ///
  /// - Throws: ``ClusterError`` or `CancellationError`. A server that was started keeps running in both
  ///   cases.
  @discardableResult
  package func start() async throws -> Start {
    try await ClusterVersions(self).stopIfClosed()
    if isRunning { return .adopted }
    let user = try ServerUser.choose(for: layout.directory)
    try prepareFolders(user)
    return try await withLock(user: user, unless: { isRunning ? .adopted : nil }) {
      if try await settle(user) { return .adopted }
      let created = try await initialiseIfNeeded(user)
      try await launch(user)
      return created ? .created : .started
    }
  }

  func prepareFolders(_ user: ServerUser) throws(ClusterError) {
    if let obstacle = user.obstacle(to: SystemFile.parent(of: layout.directory)) {
      throw ClusterError(
        .homeUnusable,
        "the server's user \(user.name) may not enter \(obstacle)",
        hint: "set FETTLE_HOME to another folder, such as /var/lib/fettle"
      )
    }
    try SystemFile.makeDirectory(layout.directory, mode: 0o700, owner: user)
    try SystemFile.makeDirectory(layout.socketDirectory, mode: 0o700, owner: user)
  }

  /// Waits for a server that another process starts or stops, and removes what a killed server left: backends
  /// and stale files.
  ///
  /// - Returns: true if a server accepts connections.
  private func settle(_ user: ServerUser) async throws -> Bool {
    let processes = ServerProcesses(layout: layout, user: user)
    if let pid = PostmasterFile.read(layout.postmasterFile)?.pid, processes.isServer(pid) {
      // Another process is starting or stopping the server.
      let ready = try await poll(for: timeLimit) {
        isRunning ? true : processes.isServer(pid) ? nil : false
      }
      guard let ready else { throw notReady() }
      if ready { return true }
    }
    try await end(processes)
    removeStaleFiles(processes)
    return false
  }

  /// Ends backends whose server was killed. No committed write is lost, because the next start recovers.
  ///
  /// - Throws: ``ClusterError`` of kind `startFailed` if a process does not end within four seconds.
  private func end(_ processes: ServerProcesses) async throws {
    for signal in [SIGQUIT, SIGKILL] {
      let gone: Bool? = try await poll(for: .seconds(2)) {
        let left = processes.all()
        for pid in left { kill(pid, signal) }
        return left.isEmpty ? true : nil
      }
      if gone == true { return }
    }
    throw ClusterError(
      .startFailed,
      "processes of a killed PostgreSQL are still running: \(processes.all())",
      hint: "end these processes, which may be waiting for a disk, then try again"
    )
  }

  /// Removes `postmaster.pid` and the socket's lock file if their process id now belongs to another program.
  ///
  /// PostgreSQL itself removes the files of processes that no longer exist.
  private func removeStaleFiles(_ processes: ServerProcesses) {
    let socketLock = "\(layout.serverSocket).lock"
    for path in [layout.postmasterFile, socketLock] {
      guard let pid = PostmasterFile.read(path)?.pid else { continue }
      if ServerProcesses.exists(pid), !processes.isServer(pid) { unlink(path) }
    }
  }

  /// Starts the server. Returns when the server accepts connections.
  ///
  /// - Throws: ``ClusterError`` of kind `startFailed` if the server exits, `timedOut` if it is not ready in
  ///   time.
  private func launch(_ user: ServerUser) async throws {
    try writeConfiguration(user)
    try linkSocket()
    turnLogOver()
    let start = SystemFile.status(of: layout.log).map { Int($0.st_size) } ?? 0
    _ = try await Command(
      executable: binaries().postgres,
      arguments: ["-D", layout.data] + overrides.flatMap { ["-c", "\($0.key)=\($0.value)"] },
      user: user,
      output: layout.log,
      detached: true
    ).run()
    let processes = ServerProcesses(layout: layout, user: user)
    var (lastSeen, missing) = (ContinuousClock.now, 0)
    let ready: Bool? = try await poll(for: timeLimit) {
      guard let file = PostmasterFile.read(layout.postmasterFile), processes.isServer(file.pid) else {
        // While a process executes another program, it briefly has no command line. It counts as ended only
        // after five checks and half a second without one.
        if processes.anyServer() { (lastSeen, missing) = (.now, 0) } else { missing += 1 }
        return missing < 5 || ContinuousClock.now - lastSeen < .milliseconds(500) ? nil : false
      }
      // Reads the file first, because that is cheaper than a probe.
      return file.phase == .ready && isRunning ? true : nil
    }
    guard let ready else { throw notReady() }
    guard ready else {
      throw ClusterError(
        .startFailed,
        "PostgreSQL exited immediately: \(lastWords(from: start))",
        hint: "read the whole log in \(layout.log)"
      )
    }
  }

  /// Links the socket that clients use to the one of the server's port, so that `--port` does not change what the
  /// scripts of an installation connect to.
  ///
  /// - Throws: ``ClusterError`` of kind `startFailed` if the link cannot be made.
  private func linkSocket() throws(ClusterError) {
    guard layout.serverSocket != layout.socket else { return }
    unlink(layout.socket)
    let target = ".s.PGSQL.\(layout.serverPort)"
    guard symlink(target, layout.socket) == 0 else {
      throw ClusterError(
        .startFailed,
        "\(layout.socket) cannot be linked to \(target): \(String(cString: strerror(errno)))",
        hint: "remove that file"
      )
    }
  }

  private func notReady() -> ClusterError {
    ClusterError(
      .timedOut,
      "PostgreSQL was not ready within \(timeLimit); it may still be recovering",
      hint: "try again later, or read the log in \(layout.log)"
    )
  }

  /// Rotates the log if it is larger than 16 MiB; keeps one old file.
  private func turnLogOver() {
    guard let status = SystemFile.status(of: layout.log), status.st_size > 16 << 20 else { return }
    rename(layout.log, "\(layout.log).1")
  }

  /// Returns the last three lines of the server's log since a position in bytes, which name the cause of a
  /// failure.
  private func lastWords(from start: Int) -> String {
    let bytes = SystemFile.bytes(at: layout.log) ?? []
    let text = String(decoding: bytes.dropFirst(start), as: UTF8.self)
    let lines = text.split(separator: "\n").suffix(3)
    return lines.isEmpty ? "without a message" : lines.joined(separator: " | ")
  }
}
