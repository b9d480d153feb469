internal import CLibPQ
internal import Glibc

extension Wire {
  /// How much longer an answer may take that has been sent according to the server.
  private static let underWay: Int32 = 1_000
  /// The longest silence after which it asks again.
  private static let longestSilence: Duration = .seconds(60)

  /// Waits until the next result can be read at once; false when the connection was given up.
  func awaitAnswer() -> Bool {
    while PQisBusy(raw) == 1 {
      guard wait(for: POLLIN) != nil else { return false }
      // An error is told by the result.
      guard PQconsumeInput(raw) == 1 else { return true }
    }
    return true
  }

  /// Waits for the socket, and gives what it is ready for; nil when the connection was given up.
  ///
  /// Silence alone says nothing: a statement may take long. So after ``Database/Configuration/patience`` it asks, on
  /// a connection of its own, what the server process at the other end does.
  func wait(for events: Int32) -> Int16? {
    var silence = configuration.patience
    while true {
      var socket = pollfd(fd: PQsocket(raw), events: Int16(events), revents: 0)
      let limit = silence.map { Int32(max(1, min($0 / .milliseconds(1), 1_000_000))) } ?? -1
      let ready = poll(&socket, 1, limit)
      // An interruption, and what is wrong with the socket, is for the caller to find out.
      guard ready == 0, let patience = configuration.patience else { return socket.revents }
      switch askAfterServer() {
      case .busy: silence = min((silence ?? patience) * 2, Self.longestSilence)
      case .unknown: silence = patience
      case .gone:
        giveUp(after: patience)
        return nil
      case .idle:
        // Its answer may have been sent this moment.
        guard poll(&socket, 1, Self.underWay) == 0 else { return socket.revents }
        giveUp(after: patience)
        return nil
      }
    }
  }

  private enum Server: String {
    /// It works on what it was asked.
    case busy
    /// It waits for us, while we wait for it.
    case idle
    /// There is no such process.
    case gone
    /// Nobody could be asked, or the process is not to be told from others.
    case unknown
  }

  private func askAfterServer() -> Server {
    guard !givesUpSoon else { return .gone }
    do throws(PostgresError) {
      let asking = try Wire(configuration, direct: false, switches: switches, gate: CancelGate())
      asking.givesUpSoon = true
      let found = try asking.run(
        """
        select case
            when a.state is null then 'unknown'
            when a.state = 'active' and a.wait_event_type is distinct from 'Client' then 'busy'
            else 'idle'
          end
        from pg_catalog.pg_stat_activity a
        where a.pid = \(PQbackendPID(raw))
        """,
        in: nil
      ).first(decodeTuple(String.self))
      // Behind a pooler the process is another one for every transaction.
      guard let found else { return switches.prepares ? .gone : .unknown }
      return Server(rawValue: found) ?? .unknown
    } catch {
      // Whoever has lost interest need not know.
      return gate.isCancelled ? .gone : .unknown
    }
  }

  /// Takes the connection for dead, and with it those that were made before and lie idle: they went the same way.
  private func giveUp(after patience: Duration) {
    markDead()
    whyGivenUp = "no answer came in \(patience), and the server was waiting for a question"
    switches.suspectConnections()
  }
}
