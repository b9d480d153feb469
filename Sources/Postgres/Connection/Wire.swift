internal import CLibPQ

/// The synchronous interface of one libpq connection, used on the thread of that connection.
///
/// Deliberately not `Sendable`. The connection stays in libpq's pipeline mode: statements are queued, one
/// sync sends them, and their results are read in order. A single statement is a pipeline of one. The socket
/// is non-blocking, so that a pipeline larger than the socket buffers can be sent and received at the same
/// time; the thread itself blocks in `poll`.
final class Wire {
  /// The use of the result of a queued statement.
  enum Role {
    /// Required to succeed, but its result is not read: `begin`, `set local`, `savepoint`.
    case discarded
    /// Returned to the caller as the result of the round trip.
    case kept
    case delivered(any ResultSink)
    case transactionID
    case commit
    case prepare
  }

  /// A queued statement whose result has not been read.
  struct Pending {
    var sql: SQL
    var role: Role
    var prepared: PreparedStatement?
  }

  let configuration: Database.Configuration
  let switches: Switches
  let gate: CancelGate
  private let handle: ConnectionHandle
  private let cancelHandle: CancelHandle
  private let arrays = BindArrays()

  var cache = StatementCache()
  /// The queued statements, in order.
  var pending: [Pending] = []
  /// The result with the role `kept` of the last round trip.
  var result: ResultSet?
  /// The first error while statements were queued, before the server saw them.
  var queueFailure: PostgresError?
  /// True if libpq may hold data that has not been sent.
  var hasUnsentBytes = false
  private(set) var isAlive = true
  /// True if the server refused a write because it only reads.
  var isMisplaced = false
  /// The reason why the connection was given up while a response was pending.
  var abandonReason: String?
  /// True if the connection is given up after the first timeout: it probes another connection and is not
  /// probed itself.
  var isProbe = false
  /// The value of ``Switches/suspicions`` when the connection was made.
  private let suspicions: Int

  /// The current transaction, or the last one.
  var transaction = TransactionState()
  /// True if the last failure was a prepared statement that the server has lost or rejects.
  var lostPlan = false

  var raw: OpaquePointer { handle.raw }

  /// Connects and enters pipeline mode. Blocks the thread.
  ///
  /// - Parameters:
  ///   - direct: true to bypass a pooler; see ``Database/Configuration/directParameters``.
  ///   - gate: receives the handle that cancels statements.
  /// - Throws: ``PostgresError`` of kind `connection`.
  init(
    _ configuration: Database.Configuration,
    direct: Bool,
    switches: Switches,
    gate: CancelGate
  ) throws(PostgresError) {
    self.configuration = configuration
    self.switches = switches
    self.gate = gate
    suspicions = switches.suspicions
    handle = try ConnectionHandle(parameters: configuration.connectionParameters(direct: direct))
    guard PQsetnonblocking(handle.raw, 1) == 0, PQenterPipelineMode(handle.raw) == 1 else {
      throw PostgresError(connection: handle.raw)
    }
    guard let cancelHandle = CancelHandle(connection: handle.raw) else {
      throw PostgresError(connection: handle.raw)
    }
    self.cancelHandle = cancelHandle
    gate.attach(cancelHandle)
  }

  deinit {
    gate.detach(cancelHandle)
  }

  /// Marks the connection as dead; it is closed and replaced before its next use.
  func markDead() {
    isAlive = false
  }

  /// True if the connection can return to the pool: connected, outside any transaction, and not to a standby. The
  /// next use may find the primary, and a standby may become another primary than the one that the program knows.
  var isReusable: Bool {
    isAlive && !isMisplaced && !isOnStandby && PQstatus(raw) == CONNECTION_OK
      && PQtransactionStatus(raw) == PQTRANS_IDLE
  }

  /// True if the server is a standby, as it reports itself.
  private var isOnStandby: Bool {
    PQparameterStatus(raw, "in_hot_standby").map { String(cString: $0) == "on" } ?? false
  }

  /// True if any connection was found dead without an error from the socket since this one was made.
  var isSuspect: Bool { suspicions != switches.suspicions }

  /// True if the server is in a transaction, also in an aborted one.
  var isInTransaction: Bool {
    let status = PQtransactionStatus(raw)
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
  }

  /// Queues a statement for the current round trip. In a transaction, its time limit applies to it alone.
  func queue(_ sql: SQL, _ role: Role) {
    guard let limit = sql.timeLimit, transaction.phase == .open else { return queueAlone(sql, role) }
    queueAlone(transaction.options.limiting(to: limit), .discarded)
    queueAlone(sql, role)
    queueAlone(transaction.options.unlimiting, .discarded)
  }

  private func queueAlone(_ sql: SQL, _ role: Role) {
    guard sql.isKept && switches.prepares else {
      send(sql, role) { arrays in
        sql.withCString { text in
          PQsendQueryParams(
            raw,
            text,
            Int32(sql.parameters.count),
            arrays.types,
            arrays.values,
            arrays.lengths,
            arrays.formats,
            1
          )
        }
      }
      return
    }
    let prepared = cache.statement(for: sql)
    if !prepared.isPrepared, !pending.contains(where: { $0.prepared === prepared }) {
      let sent = prepared.types.withUnsafeBufferPointer { types in
        sql.withCString { PQsendPrepare(raw, prepared.name, $0, Int32(types.count), types.baseAddress) }
      }
      note(sent, Pending(sql: sql, role: .prepare, prepared: prepared))
    }
    send(sql, role, prepared) { arrays in
      PQsendQueryPrepared(
        raw,
        prepared.name,
        Int32(sql.parameters.count),
        arrays.values,
        arrays.lengths,
        arrays.formats,
        1
      )
    }
  }

  private func send(
    _ sql: SQL,
    _ role: Role,
    _ prepared: PreparedStatement? = nil,
    _ send: (BindArrays) -> Int32
  ) {
    note(arrays.with(sql.parameters, send), Pending(sql: sql, role: role, prepared: prepared))
  }

  /// Records that libpq has accepted or rejected a statement.
  private func note(_ sent: Int32, _ entry: Pending) {
    if sent == 1 {
      pending.append(entry)
    } else if queueFailure == nil {
      var failure = PostgresError(connection: raw, statement: entry.sql)
      if PQstatus(raw) == CONNECTION_OK { failure = failure.with { $0.kind = .usage } }
      queueFailure = failure
    }
  }
}

extension SQL {
  /// Lends the text as a C string. Not on the hot path: prepared statements are sent by name.
  func withCString<T>(_ body: (UnsafePointer<CChar>) -> T) -> T {
    var terminated = utf8
    terminated.append(0)
    return terminated.withUnsafeBytes { bytes in
      // Never nil: the terminator is always there.
      bytes.baseAddress.map { body($0.assumingMemoryBound(to: CChar.self)) } ?? body("")
    }
  }
}
