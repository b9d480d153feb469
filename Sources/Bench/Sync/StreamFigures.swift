internal import Glibc

/// Measures the memory of the server for devices that wait for hints.
struct StreamFigures {
  let world: SyncWorld

  private static let path = "/v1/sync/events"
  /// The memory in MB that 10,000 streams may take.
  private static let most = 100.0

  func measure() async throws -> [SyncLine] {
    let (member, count) = (world.pulling, world.plan.streams)
    let name = "memory of \(count) idle hint streams"
    let target = SyncLine.Target.atMost(Self.most * Double(count) / 10_000)
    // A server of its own, whose memory other figures have not touched.
    let outcome = try await WebServer.with(world.server, token: "") { web in
      try await Callers.run { try Self.open(count, web, member.authorization) }
    }
    guard let bytes = outcome else {
      return [SyncLine(name: name, unit: "MB", ours: [], target: target, remark: "not served")]
    }
    return [SyncLine(name: name, unit: "MB", ours: [bytes / 1_000_000], target: target)]
  }

  /// Opens streams and compares the resident memory of the server.
  ///
  /// - Returns: the growth in bytes; nil if the server has no streams.
  private static func open(_ count: Int, _ web: WebServer, _ authorization: String) throws -> Double? {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var descriptors: [Int32] = []
    defer { for descriptor in descriptors { close(descriptor) } }
    // The first streams allocate what all later ones share.
    for _ in 0..<50 {
      let descriptor = try Loopback.connect(port: web.port)
      let status = Loopback.ask(descriptor, path, headers: [authorization, "Accept: text/event-stream"])
      close(descriptor)
      if status == 404 { return nil }
      guard status == 200 else { throw Tool.Failure(description: "a stream was answered with \(status)") }
    }
    sleep(1)
    let before = web.process.residentBytes
    for index in 0..<count {
      // One address has only 28,000 ports.
      let descriptor = try Loopback.connect(port: web.port, from: 2 + index / 80)
      descriptors.append(descriptor)
      let status = Loopback.ask(descriptor, path, headers: [authorization, "Accept: text/event-stream"])
      guard status == 200 else {
        throw Tool.Failure(description: "stream \(index + 1) was answered with \(status)")
      }
    }
    sleep(2)
    return Double(web.process.residentBytes - before)
  }
}
