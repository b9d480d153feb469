internal import Store

/// The slots of a worker. Each slot runs one job at a time.
struct SlotTable {
  typealias Instant = ContinuousClock.Instant

  /// Identifies a slot; the id of a closed slot is never used again.
  struct ID: Hashable, Sendable {
    fileprivate let index: Int
    fileprivate let serial: Int
  }

  /// The reason why a job was told to end early.
  enum Verdict: Sendable {
    /// The job exceeded its time limit.
    case late
    /// The job's lease was lost.
    case lost
    /// A user cancelled the job.
    case cancelled
    /// The worker stops, and the grace period is over.
    case handedBack
  }

  /// A job that runs in a slot.
  struct Run {
    let job: ClaimedJob
    /// The time at which the job was given to the slot.
    let began: Instant
    /// Set when the job is told to end early.
    var verdict: Verdict?
    /// The time of the verdict.
    var judged: Instant
    /// True if the job waits for a server of a customer, so that it does not count as a running job of the slots.
    let isOutside: Bool
    /// True if the handler has returned and only the outcome is left to write.
    var hasReturned = false
  }

  /// A slot, open or closed. Its serial number grows with each reuse.
  private struct Entry {
    var serial: Int
    var isOpen = true
    var run: Run?
  }

  private var entries: [Entry] = []
  /// Number of open slots without those whose jobs wait outside.
  private(set) var insideCount = 0
  /// Indexes of closed slots, for reuse.
  private var closed: [Int] = []
  /// Slots that wait for a job.
  private(set) var idle: [ID] = []

  /// Opens a slot.
  mutating func open() -> ID {
    insideCount += 1
    guard let index = closed.popLast() else {
      entries.append(Entry(serial: 0))
      return ID(index: entries.count - 1, serial: 0)
    }
    let serial = entries[index].serial + 1
    entries[index] = Entry(serial: serial)
    return ID(index: index, serial: serial)
  }

  /// Closes a slot and forgets its job.
  mutating func close(_ id: ID) {
    guard isOpen(id) else { return }
    setRun(nil, of: id)
    entries[id.index].isOpen = false
    insideCount -= 1
    closed.append(id.index)
  }

  /// Returns true if the slot is open.
  func isOpen(_ id: ID) -> Bool { entries[id.index].serial == id.serial && entries[id.index].isOpen }

  /// The job of an open slot; nil for a slot without a job and for a closed slot. Setting the job of a closed
  /// slot has no effect.
  subscript(id: ID) -> Run? {
    get { isOpen(id) ? entries[id.index].run : nil }
    set { if isOpen(id) { setRun(newValue, of: id) } }
  }

  /// Records that a job starts in a slot.
  ///
  /// - Parameter isOutside: true if the job waits for a server of a customer.
  mutating func start(_ job: ClaimedJob, in id: ID, isOutside: Bool, at now: Instant) {
    setRun(Run(job: job, began: now, judged: now, isOutside: isOutside), of: id)
  }

  private mutating func setRun(_ run: Run?, of id: ID) {
    if entries[id.index].run?.isOutside == true { insideCount += 1 }
    if run?.isOutside == true { insideCount -= 1 }
    entries[id.index].run = run
  }

  /// Records that a handler has returned. Returns the earlier verdict, if any.
  mutating func markReturned(_ id: ID) -> Verdict? {
    entries[id.index].run?.hasReturned = true
    return entries[id.index].run?.verdict
  }

  /// Records that a slot waits for a job.
  mutating func wait(_ id: ID) { idle.append(id) }

  /// Removes and returns the slot that has waited for the shortest time; nil if none waits.
  mutating func takeIdle() -> ID? { idle.popLast() }

  /// The slots that run a job, with their runs.
  var running: [(id: ID, run: Run)] {
    entries.indices.compactMap { index in
      entries[index].run.map { (ID(index: index, serial: entries[index].serial), $0) }
    }
  }

  /// Number of slots that run a job.
  var runningCount: Int { entries.count { $0.run != nil } }
}
