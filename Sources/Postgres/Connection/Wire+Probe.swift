internal import CLibPQ
internal import Glibc

extension Wire {
  /// Maximum time in milliseconds for a response that an idle server process has already sent to arrive.
  private static let transitTime: Int32 = 1_000
  /// Maximum time between two probes.
  private static let longestInterval: Duration = .seconds(60)

  /// Waits until the next result can be read without blocking. Returns false if the connection was given up.
  func awaitResponse() -> Bool {
    while PQisBusy(raw) == 1 {
      guard wait(for: POLLIN) != nil else { return false }
      // The result carries the error.
      guard PQconsumeInput(raw) == 1 else { return true }
    }
    return true
  }

  /// Waits for the socket. Returns the events it is ready for, or nil if the connection was given up.
  ///
  /// A missing response alone is no error, since a statement may take long. After
  /// ``Database/Configuration/probeAfter`` the state of the server process is therefore queried on a second
  /// connection.
  func wait(for events: Int32) -> Int16? {
    var interval = configuration.probeAfter
    while true {
      var socket = pollfd(fd: PQsocket(raw), events: Int16(events), revents: 0)
      let limit = interval.map { Int32(max(1, min($0 / .milliseconds(1), 1_000_000))) } ?? -1
      let ready = poll(&socket, 1, limit)
      // The caller handles interruptions and socket errors.
      guard ready == 0, let probeAfter = configuration.probeAfter else { return socket.revents }
      switch serverState() {
      case .busy: interval = min((interval ?? probeAfter) * 2, Self.longestInterval)
      case .unknown: interval = probeAfter
      case .gone:
        giveUp(after: probeAfter)
        return nil
      case .idle:
        // The response may be in transit.
        guard poll(&socket, 1, Self.transitTime) == 0 else { return socket.revents }
        giveUp(after: probeAfter)
        return nil
      }
    }
  }

  private enum ServerState: String {
    /// The server process is executing the statement.
    case busy
    /// The server process is waiting for the client, while the client is waiting for it.
    case idle
    /// The server process does not exist.
    case gone
    /// The probe failed, or the process cannot be identified behind a pooler.
    case unknown
  }

  /// Queries the state of the connection's server process on a second connection.
  private func serverState() -> ServerState {
    guard !isProbe else { return .gone }
    do throws(PostgresError) {
      let probe = try Wire(configuration, direct: false, switches: switches, gate: CancelGate())
      probe.isProbe = true
      let found = try probe.run(
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
      // Behind a pooler the process differs from transaction to transaction.
      guard let found else { return switches.prepares ? .gone : .unknown }
      return ServerState(rawValue: found) ?? .unknown
    } catch {
      // A cancelled caller does not need the response.
      return gate.isCancelled ? .gone : .unknown
    }
  }

  /// Marks the connection as dead, and all present connections of the database for replacement before their
  /// next use.
  ///
  /// - Parameter interval: the time without a response, for the message.
  private func giveUp(after interval: Duration) {
    markDead()
    abandonReason = "no response for \(interval), and the server process was idle"
    switches.suspectConnections()
  }
}
