package import FoundationEssentials
package import Postgres

/// A job to be enqueued in the transaction of its cause.
package struct NewJob: Sendable {
  /// Chosen by the caller, so that effects outside the database can carry it as an idempotency key.
  package let id: UUID
  /// Which handler runs it, such as `notify.send`.
  package let kind: String
  /// The queue that workers subscribe to.
  package let queue: String
  /// 1 to 4; lower runs first.
  package let priority: Int
  /// When it may run at the earliest; nil: at once.
  package let runAt: Timestamp?
  /// After how many failed attempts it is dead.
  package let maxAttempts: Int
  /// Ids and names, not rights: the job re-enters the company and reads again.
  package let payload: JSON
  /// The record whose change caused it.
  package let cause: (type: String, id: UUID)?
  /// While a job of the kind and key waits or runs in the company, another one is not enqueued; nil: no such limit.
  package let uniqueKey: String?
  /// For how long after it was enqueued the key is held, also when the job has ended before; nil: until it has ended.
  package let uniqueFor: Duration?

  package init(
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
