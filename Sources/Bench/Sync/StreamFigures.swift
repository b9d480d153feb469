internal import FoundationEssentials
internal import Glibc
internal import Postgres
internal import Store

/// Measures the memory of the server for devices that wait for hints, and the time until all of them have one.
struct StreamFigures {
  let world: SyncWorld

  /// The number of streams of a member, who may have few.
  private static let each = 20

  func measure(_ count: Int) async throws -> [Line] {
    let fields = try await sessions(count / Self.each + 4)
    let (member, server) = (world.pulling, world.server)
    let phone = try await SyncPhone.register(1, of: member)[0]
    // A server of its own, whose memory other figures have not touched.
    let (bytes, hint) = try await WebServer.with(server) { web in
      try await Load.thread {
        let (streams, bytes) = try web.open(count, "/v1/sync/events") { index in
          [fields[index / Self.each], "Accept: text/event-stream"]
        }
        for stream in streams { stream.drain() }
        try phone.push(1, .creates, Connection(port: web.port, headers: [member.authorization]))
        return (bytes, Self.wait(for: streams))
      }
    }
    let (memory, aim) = (Reading(bytes / 1_000_000), Aim.atMost(Double(count) / 100))
    return [
      Line(name: "memory of \(count) idle hint streams", unit: "MB", ours: [memory], aim: aim),
      Line(name: "hint to \(count) streams, the last one", unit: "ms", ours: [Reading(hint)]),
    ]
  }

  /// Creates members with a session each, and returns the header fields of the sessions.
  private func sessions(_ count: Int) async throws -> [String] {
    let company = Fixture.id(world.pulling.company)
    return try await world.server.withConnection { superuser in
      try await superuser.transaction { tx in
        try (0..<count).map { number in
          let (user, email) = (UUID(), "stream-\(number)@bench.example")
          try MemberStore.insertUser(id: user, email: email, name: "Stream \(number)", kind: "person", tx)
          _ = try MemberStore.insert(company: company, user: user, role: "user", invitedBy: nil, tx)
          return try Fixture.session(of: user, in: company, tx)
        }
      }
    }
  }

  /// Waits until every stream has an event, at most ten seconds.
  ///
  /// - Returns: the time in milliseconds; NaN if some have none.
  private static func wait(for streams: [Connection]) -> Double {
    let start = ContinuousClock.now
    var open = streams.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    while !open.isEmpty {
      guard ContinuousClock.now - start < .seconds(10) else { return .nan }
      poll(&open, nfds_t(open.count), 100)
      open.removeAll { $0.revents != 0 }
    }
    return (ContinuousClock.now - start) / .milliseconds(1)
  }
}
