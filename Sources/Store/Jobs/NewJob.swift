internal import Domain
public import FoundationEssentials
public import Postgres
internal import Secrets

/// A job to be enqueued in the transaction of its cause.
public struct NewJob: Sendable {
  /// The job's id, chosen by the caller; it becomes the idempotency key of effects outside the database.
  public let id: UUID
  /// The kind, which selects the handler, such as `notify.send`.
  public let kind: String
  /// The queue that workers subscribe to.
  public let queue: String
  /// The priority, from 1 (urgent) to 4 (when idle); lower numbers run first.
  public let priority: Int
  /// The earliest time to run; nil for immediately.
  public let runAt: Instant?
  /// The number of failed attempts after which the job is dead.
  public let maxAttempts: Int
  /// The input as a JSON object: ids and names, not rights. The handler runs inside the company and reads its
  /// data again.
  public let payload: JSON
  /// The record whose change caused the job, if any.
  public let cause: (type: String, id: UUID)?
  /// The unique key. While a job of the same company and kind holds the key, another one is not enqueued. Nil
  /// for no key.
  public let uniqueKey: String?
  /// The minimum time for which the key is held after enqueueing, even if the job ends earlier; nil to hold
  /// it only until the job has ended.
  public let uniqueFor: Duration?

  /// Creates a job with a payload that is already JSON.
  public init(
    id: UUID,
    kind: String,
    queue: String = "default",
    priority: Int = 2,
    runAt: Instant? = nil,
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
  /// Creates a job with a new id and no cause.
  ///
  /// - Throws: `EncodingError` if the payload cannot be encoded as JSON.
  public init(
    _ kind: String,
    payload: some Encodable & Sendable,
    queue: String = "default",
    priority: Int = 2,
    runAt: Instant? = nil,
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
