internal import Glibc

extension EmbeddedCluster {
  /// The outcome of `start()`.
  package enum Start: Equatable, Sendable {
    /// The server was already running.
    case adopted
    /// The server was started on existing data.
    case started
    /// The cluster was created first.
    case created
  }

  /// Makes sure that the server is running: creates, recovers or starts the cluster, or finds it running.
  ///
  /// Safe to call from many processes at once; one of them does the work. Returns when connections are
  /// accepted.
  ///
  /// - Throws: ``ClusterError``, or `CancellationError`; a server that has been started continues to run in
  /// both cases.
  @discardableResult
  package func start() async throws -> Start {
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
        hint: "choose another place with FETTLE_HOME, such as /var/lib/fettle"
      )
    }
    try SystemFile.makeDirectory(layout.directory, mode: 0o700, owner: user)
    try SystemFile.makeDirectory(layout.socketDirectory, mode: 0o700, owner: user)
  }

  /// Handles the remains of an earlier server. Returns true if a server is running after all.
  private func settle(_ user: ServerUser) async throws -> Bool {
    let processes = ServerProcesses(layout: layout, user: user)
    if let pid = PostmasterFile.read(layout.postmasterFile)?.pid, processes.isServer(pid) {
      // Another process is starting or stopping the server: wait for the outcome.
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

  /// Ends backends whose server was killed. Recovery follows anyway, so no acknowledged write is lost.
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
      hint: "they may be waiting for a disk; end them, then try again"
    )
  }

  /// Removes `postmaster.pid` and the socket's lock if they name a live process that is not a server.
  ///
  /// PostgreSQL removes the files of dead processes itself, with its own checks.
  private func removeStaleFiles(_ processes: ServerProcesses) {
    let socketLock = "\(layout.socket).lock"
    for path in [layout.postmasterFile, socketLock] {
      guard let pid = PostmasterFile.read(path)?.pid else { continue }
      if ServerProcesses.exists(pid), !processes.isServer(pid) { unlink(path) }
    }
  }

  /// Starts the server. Returns when connections are accepted.
  private func launch(_ user: ServerUser) async throws {
    try writeConfiguration(user)
    turnLogOver()
    let start = SystemFile.status(of: layout.log).map { Int($0.st_size) } ?? 0
    _ = try await Command(
      executable: binaries().postgres,
      arguments: ["-D", layout.data],
      user: user,
      output: layout.log,
      detached: true
    ).run()
    let processes = ServerProcesses(layout: layout, user: user)
    var (lastSeen, missing) = (ContinuousClock.now, 0)
    let ready: Bool? = try await poll(for: timeLimit) {
      guard let file = PostmasterFile.read(layout.postmasterFile), processes.isServer(file.pid) else {
        // A process has no command line for a moment while it executes another program, and may be
        // descheduled right then: only half a second and several looks without one mean that it has ended.
        if processes.anyServer() { (lastSeen, missing) = (.now, 0) } else { missing += 1 }
        return missing < 5 || ContinuousClock.now - lastSeen < .milliseconds(500) ? nil : false
      }
      // Reading a file is cheaper than probing a server that is still busy.
      return file.phase == .ready && isRunning ? true : nil
    }
    guard let ready else { throw notReady() }
    guard ready else {
      throw ClusterError(
        .startFailed,
        "PostgreSQL exited immediately: \(lastWords(from: start))",
        hint: "the whole log is \(layout.log)"
      )
    }
  }

  private func notReady() -> ClusterError {
    ClusterError(
      .timedOut,
      "PostgreSQL was not ready within \(timeLimit); it may still be recovering",
      hint: "try again later; its log is \(layout.log)"
    )
  }

  /// Rotates the log at 16 MB and keeps one old file.
  private func turnLogOver() {
    guard let status = SystemFile.status(of: layout.log), status.st_size > 16 << 20 else { return }
    rename(layout.log, "\(layout.log).1")
  }

  /// The server's log since the start: it names the cause of a failure.
  private func lastWords(from start: Int) -> String {
    let bytes = SystemFile.bytes(at: layout.log) ?? []
    let text = String(decoding: bytes.dropFirst(start), as: UTF8.self)
    let lines = text.split(separator: "\n").suffix(3)
    return lines.isEmpty ? "without a message" : lines.joined(separator: " | ")
  }
}
