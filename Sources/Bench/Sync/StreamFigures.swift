internal import FoundationEssentials
internal import Glibc

/// Measures the memory of the server for devices that wait for hints, and the time until all of them have one.
struct StreamFigures {
  let world: SyncWorld

  private static let path = "/v1/sync/events"
  /// The memory in MB that 10,000 streams may take.
  private static let most = 100.0
  /// The number of streams that open before the memory is measured.
  private static let first = 50

  private struct Outcome: Sendable {
    /// The growth of the resident memory in bytes.
    let bytes: Double
    /// The milliseconds from the answer to a push until the last stream has a hint; NaN if some have none.
    let hint: Double
  }

  func measure() async throws -> [SyncLine] {
    let (member, count) = (world.pulling, world.plan.streams)
    let names = ["memory of \(count) idle hint streams", "hint to \(count) streams, the last one"]
    let target = SyncLine.Target.atMost(Self.most * Double(count) / 10_000)
    let sessions = try await StreamMembers(world: world).open(streams: count + Self.first)
    let phone = try await SyncPhone.register(1, of: member)[0]
    // A server of its own, whose memory other figures have not touched.
    let outcome = try await WebServer.with(world.server, token: "") { web in
      try await Callers.run { try Self.open(count, web, sessions) { try phone.push(1, .creates, $0) } }
    }
    guard let outcome else {
      return [SyncLine(name: names[0], unit: "MB", ours: [], target: target, remark: "not served")]
    }
    return [
      SyncLine(name: names[0], unit: "MB", ours: [outcome.bytes / 1_000_000], target: target),
      SyncLine(name: names[1], unit: "ms", ours: [outcome.hint]),
    ]
  }

  /// Opens streams, compares the resident memory of the server, and makes one change.
  ///
  /// - Parameters:
  ///   - sessions: returns the header field of a stream by its number.
  ///   - change: makes a change over a connection.
  /// - Returns: nil if the server has no streams.
  private static func open(
    _ count: Int,
    _ web: WebServer,
    _ sessions: StreamMembers.Sessions,
    _ change: (LocalConnection) throws -> Void
  ) throws -> Outcome? {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var descriptors: [Int32] = []
    defer { for descriptor in descriptors { close(descriptor) } }
    var before = 0
    for index in 0..<first + count {
      // The first streams allocate what all later ones share.
      if index == first {
        sleep(1)
        before = web.process.residentBytes
      }
      // One address has only 28,000 ports.
      let descriptor = try Loopback.connect(port: web.port, from: 2 + index / 80)
      descriptors.append(descriptor)
      let status = Loopback.ask(descriptor, path, headers: [sessions[index], "Accept: text/event-stream"])
      if status == 404 { return nil }
      guard status == 200 else {
        throw Tool.Failure(description: "stream \(index + 1) was answered with \(status)")
      }
    }
    sleep(2)
    let bytes = Double(web.process.residentBytes - before)
    drain(descriptors)
    let connection = try LocalConnection(port: web.port, headers: [sessions.author])
    try change(connection)
    return Outcome(bytes: bytes, hint: wait(for: descriptors))
  }

  /// Reads what has arrived.
  private static func drain(_ descriptors: [Int32]) {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    for descriptor in descriptors {
      while recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
    }
  }

  /// Waits until every stream has an event, at most ten seconds.
  ///
  /// - Returns: the time in milliseconds; NaN if some have none.
  private static func wait(for descriptors: [Int32]) -> Double {
    let start = ContinuousClock.now
    var open = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while !open.isEmpty {
      guard ContinuousClock.now - start < .seconds(10) else { return .nan }
      poll(&open, nfds_t(open.count), 100)
      open.removeAll { $0.revents != 0 }
    }
    return (ContinuousClock.now - start) / .milliseconds(1)
  }
}
