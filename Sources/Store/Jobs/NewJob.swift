internal import Domain
public import FoundationEssentials
public import Postgres
internal import Secrets

/// A job to be enqueued in the transaction of its cause.
public struct NewJob: Sendable {
  /// Chosen by the caller, so that effects outside the database can carry it as an idempotency key.
  public let id: UUID
  /// Which handler runs it, such as `notify.send`.
  public let kind: String
  /// The queue that workers subscribe to.
  public let queue: String
  /// 1 to 4; lower runs first.
  public let priority: Int
  /// When it may run at the earliest; nil: at once.
  public let runAt: Timestamp?
  /// After how many failed attempts it is dead.
  public let maxAttempts: Int
  /// Ids and names, not rights: the job re-enters the company and reads again.
  public let payload: JSON
  /// The record whose change caused it.
  public let cause: (type: String, id: UUID)?
  /// While a job of the kind and key waits or runs in the company, another one is not enqueued; nil: no such limit.
  public let uniqueKey: String?
  /// For how long after it was enqueued the key is held, also when the job has ended before; nil: until it has ended.
  public let uniqueFor: Duration?

  /// - Parameter id: see ``id``.
  public init(
    id: UUID,
    kind: String,
    queue: String = "default",
    priority: Int = 2,
    runAt: Timestamp? = nil,
    maxAttempts: Int = 5,
    payload: JSON,
    cause: (type: String, id: UUID)? = nil,
    uniqueKey: String? = nil,
    uniqueFor: Duration? = nil
  ) {
    self.id = id
    self.kind = kind
    self.queue = queue
    self.priority = priority
    self.runAt = runAt
    self.maxAttempts = maxAttempts
    self.payload = payload
    self.cause = cause
    self.uniqueKey = uniqueKey
    self.uniqueFor = uniqueFor
  }
}

extension NewJob {
  /// A job with an id of its own, about something that becomes JSON.
  ///
  /// - Throws: when the payload cannot be written as JSON.
  public init(
    _ kind: String,
    payload: some Encodable & Sendable,
    queue: String = "default",
    priority: Int = 2,
    runAt: Timestamp? = nil,
    maxAttempts: Int = 5,
    uniqueKey: String? = nil,
    uniqueFor: Duration? = nil
  ) throws {
    self.init(
      id: UUIDv7Generator.shared.next(),
      kind: kind,
      queue: queue,
      priority: priority,
      runAt: runAt,
      maxAttempts: maxAttempts,
      payload: try JSON(encoding: payload),
      uniqueKey: uniqueKey,
      uniqueFor: uniqueFor
    )
  }
}
