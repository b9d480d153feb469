internal import Glibc

extension EmbeddedCluster {
  /// What `start()` found or did.
  package enum Start: Equatable, Sendable {
    /// The server was running already.
    case adopted
    /// The data was there and the server was started on it.
    case started
    /// The cluster was made first.
    case created
  }

  /// Makes sure that the server runs, whatever it takes: makes the cluster, recovers it, starts it, or finds it running.
  ///
  /// Safe to call at once from many processes; one of them does the work. Returns when connections are taken.
  ///
  /// - Throws: ``ClusterError``, or `CancellationError`; a server that was begun is left to itself in both cases.
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

  /// Deals with what an earlier server left; true when it turns out to be running.
  private func settle(_ user: ServerUser) async throws -> Bool {
    let processes = ServerProcesses(layout: layout, user: user)
    if let pid = PostmasterFile.read(layout.postmasterFile)?.pid, processes.isServer(pid) {
      // Coming up or going down, by somebody else's doing: wait for either.
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

  /// Ends backends whose server was killed; recovery is due in any case, so they lose nothing that was acknowledged.
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
      "processes of a killed PostgreSQL are still at work: \(processes.all())",
      hint: "they may hang on a disk; end them, then try again"
    )
  }

  /// Removes `postmaster.pid` and the socket's lock when they name a process that is alive but somebody else.
  ///
  /// A dead process's files PostgreSQL clears away itself, with checks of its own that we leave in place.
  private func removeStaleFiles(_ processes: ServerProcesses) {
    let socketLock = "\(layout.socket).lock"
    for path in [layout.postmasterFile, socketLock] {
      guard let pid = PostmasterFile.read(path)?.pid else { continue }
      if ServerProcesses.exists(pid), !processes.isServer(pid) { unlink(path) }
    }
  }

  /// Starts the server and returns when it takes connections.
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
    var missing = 0
    let ready: Bool? = try await poll(for: timeLimit) {
      guard let file = PostmasterFile.read(layout.postmasterFile), processes.isServer(file.pid) else {
        // A process has no command line for an instant while it turns into another program, and may be
        // put aside by the system right then: only half a second without one means that it has ended.
        missing = processes.anyServer() ? 0 : missing + 1
        return missing < 50 ? nil : false
      }
      // Reading a file costs less than asking a server that is still busy.
      return file.phase == .ready && isRunning ? true : nil
    }
    guard let ready else { throw notReady() }
    guard ready else {
      throw ClusterError(
        .startFailed,
        "PostgreSQL ended at once: \(lastWords(from: start))",
        hint: "the whole log is \(layout.log)"
      )
    }
  }

  private func notReady() -> ClusterError {
    ClusterError(
      .timedOut,
      "PostgreSQL was not ready within \(timeLimit); it may still be recovering",
      hint: "try again in a while; its log is \(layout.log)"
    )
  }

  /// Keeps one old log once the current one is larger than 16 MB.
  private func turnLogOver() {
    guard let status = SystemFile.status(of: layout.log), status.st_size > 16 << 20 else { return }
    rename(layout.log, "\(layout.log).1")
  }

  /// What the server wrote since we started it: its own reason, which beats any of ours.
  private func lastWords(from start: Int) -> String {
    let bytes = SystemFile.bytes(at: layout.log) ?? []
    let text = String(decoding: bytes.dropFirst(start), as: UTF8.self)
    let lines = text.split(separator: "\n").suffix(3)
    return lines.isEmpty ? "without a word" : lines.joined(separator: " | ")
  }
}
