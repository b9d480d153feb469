internal import Glibc

extension Wire {
  /// Finds out whether a commit took effect after its response was lost. Returns if it did, throws otherwise.
  ///
  /// A second connection queries the status of the transaction id every 50 milliseconds, until
  /// ``Database/Configuration/resolveTimeout`` has passed: the server may be restarting, and the old server
  /// process may still be running. After a crash the server reuses ids that had not reached the disk, so
  /// `committed` may belong to another transaction. Without `proof`, it is trusted only if the server has not
  /// crashed since the transaction began; with `proof`, only if that query finds a row.
  ///
  /// - Parameters:
  ///   - lost: the error of the commit, thrown if the outcome stays unknown.
  ///   - proof: a query that finds a row if and only if the transaction took effect.
  /// - Throws: `lost`, with kind `connection` if the transaction was rolled back.
  func resolve(_ lost: PostgresError, proof: SQL?) throws(PostgresError) {
    guard let id = transaction.id, transaction.options.resolvesLostCommit else { throw lost }
    let clock = ContinuousClock()
    let deadline = clock.now + configuration.resolveTimeout
    var asking: Wire?
    repeat {
      switch try fate(of: id, lost, proof, &asking) {
      case .committed:
        return
      case .rolledBack:
        throw lost.with {
          $0.kind = .connection
          $0.message += "; the server has rolled the transaction back"
        }
      case .notYetKnown:
        usleep(50_000)
      case .unknowable:
        throw lost
      }
    } while clock.now < deadline && !gate.isCancelled
    throw lost
  }

  /// The outcome of a transaction. `unknowable`: the server cannot tell it any more.
  private enum Fate {
    case committed, rolledBack, notYetKnown, unknowable
  }

  /// Queries the outcome once.
  ///
  /// - Parameter asking: the second connection; opened if `nil`, and set to `nil` when it is lost.
  private func fate(
    of id: String,
    _ lost: PostgresError,
    _ proof: SQL?,
    _ asking: inout Wire?
  ) throws(PostgresError) -> Fate {
    do throws(PostgresError) {
      let wire: Wire
      if let asking {
        wire = asking
      } else {
        wire = try Wire(configuration, direct: false, switches: switches, gate: CancelGate())
        wire.isProbe = true
        asking = wire
      }
      switch try wire.run("select pg_xact_status((\(id)::text)::xid8)", in: nil).value(String?.self) {
      case "committed":
        if let proof { return try wire.finds(proof, as: transaction.options) ? .committed : .rolledBack }
        return try wire.hasCrashed(since: transaction.began) ? .unknowable : .committed
      case "aborted": return .rolledBack
      case "in progress": return .notYetKnown
      default: return .unknowable
      }
    } catch {
      // An id from before a crash that has not been reused yet.
      if error.sqlState == .invalidParameterValue { return .rolledBack }
      // A server that refuses the query will refuse it again; a server that is unavailable may come back.
      guard error.kind != .server else { throw lost }
      asking = nil
      return .notYetKnown
    }
  }

  /// Returns true if `proof` finds a row, under the settings of the transaction, read-only.
  private func finds(_ proof: SQL, as options: TransactionOptions) throws(PostgresError) -> Bool {
    var reading = options
    reading.readOnly = true
    reading.resolvesLostCommit = false
    do {
      return try transaction(reading) { tx in try tx.execute(proof) > 0 }
    } catch let error as PostgresError {
      throw error
    } catch {
      throw PostgresError(.connection, "\(error)")
    }
  }

  /// Returns true if the server has recovered from a crash since a time of this process, or if that is
  /// unknown: a crash resets the server's statistics.
  ///
  /// Compares durations, not times, since the two clocks may differ.
  private func hasCrashed(since moment: ContinuousClock.Instant) throws(PostgresError) -> Bool {
    let age = moment.duration(to: .now)
    let seconds = try run(
      "select extract(epoch from clock_timestamp() - stats_reset)::float8 from pg_catalog.pg_stat_bgwriter",
      in: nil
    ).value(Double?.self)
    return seconds.map { .seconds($0) < age } ?? true
  }
}
