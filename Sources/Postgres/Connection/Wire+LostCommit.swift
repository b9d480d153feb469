internal import Glibc

extension Wire {
  /// Finds out whether a commit whose answer was lost took effect; returns when it did.
  ///
  /// A second connection asks the server about the transaction's id, for as long as the configuration allows:
  /// the server may be restarting, and the old server process may still be at work.
  func resolve(_ lost: PostgresError) throws(PostgresError) {
    guard let id = transaction.id, transaction.options.resolvesLostCommit else { throw lost }
    let clock = ContinuousClock()
    let deadline = clock.now + configuration.resolveTimeout
    var asking: Wire?
    repeat {
      switch try status(of: id, lost, &asking) {
      case "committed":
        return
      case "aborted":
        throw lost.with {
          $0.kind = .connection
          $0.message += "; the server has rolled the transaction back"
        }
      case "in progress", "unreachable":
        usleep(50_000)
      default:
        throw lost
      }
    } while clock.now < deadline && !gate.isCancelled
    throw lost
  }

  private func status(of id: String, _ lost: PostgresError, _ asking: inout Wire?) throws(PostgresError)
    -> String?
  {
    do throws(PostgresError) {
      let wire: Wire
      if let asking {
        wire = asking
      } else {
        wire = try Wire(configuration, direct: false, switches: switches, gate: CancelGate())
        asking = wire
      }
      return try wire.run("select pg_xact_status((\(id)::text)::xid8)", in: nil).value(String?.self)
    } catch {
      // A server that refuses the question will not answer it later either; one that is away may come back.
      guard error.kind != .server else { throw lost }
      asking = nil
      return "unreachable"
    }
  }
}
