internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import SyncProtocol

/// The judgements of earlier requests on a device's changes, and those of this request.
struct SyncLedger {
  /// The questions about the ledger.
  struct Tickets {
    let device: Ticket<DeviceRow>
    fileprivate let known: Ticket<SyncItemRow>
    fileprivate let unresolved: Ticket<(Int64, UUID)>
    fileprivate let wanted: Ticket<Int64>
    fileprivate let unconfirmed: Ticket<Int>
  }

  let device: DeviceRow
  /// The numbers of waiting changes that a person asks the device to send again.
  let wanted: [Int64]
  private let known: [Int64: SyncItemRow]
  /// The records with a change that waits for a person, with the number of the first one.
  private var waiting: [UUID: Int64] = [:]
  /// The records with a change that could not be judged now.
  private var postponed: Set<UUID> = []
  private var judged: [JudgedItem] = []
  /// The number of changes that wait for a person.
  private var undecided: Int
  private let unconfirmed: Int

  /// Locks the device by a statement of its own, so that a repetition sees the answers of the first request.
  static func ask(_ company: UUID, device: UUID, nos: [Int64], _ pipeline: inout Pipeline) -> Tickets {
    Tickets(
      device: pipeline.rows(DeviceStore.lock(company: company, id: device), as: DeviceRow.self),
      known: pipeline.rows(
        SyncItemStore.known(company: company, device: device, nos: nos),
        as: SyncItemRow.self
      ),
      unresolved: pipeline.rows(
        SyncItemStore.unresolved(company: company, device: device),
        Int64.self,
        UUID.self
      ),
      wanted: pipeline.rows(SyncItemStore.wanted(company: company, device: device), Int64.self),
      unconfirmed: pipeline.rows(
        SyncItemStore.unconfirmed(company: company, device: device, most: SyncLimits.unconfirmed),
        Int.self
      )
    )
  }

  init(_ tickets: Tickets, _ device: DeviceRow) throws {
    self.device = device
    known = Dictionary(try tickets.known.all.map { ($0.no, $0) }) { first, _ in first }
    wanted = try tickets.wanted.all
    let unresolved = try tickets.unresolved.all
    for (no, record) in unresolved where waiting[record] == nil { waiting[record] = no }
    undecided = unresolved.count
    unconfirmed = try tickets.unconfirmed.first ?? 0
  }

  /// Requires that no number was used for another change.
  ///
  /// - Throws: `device_cloned`.
  func requireUnused(_ mutations: [SyncMutation]) throws(DomainError) {
    for mutation in mutations {
      if let hash = known[mutation.no]?.requestHash {
        guard hash == mutation.hash else { throw Self.cloned(mutation.no) }
      } else if mutation.no <= device.confirmedNo {
        // The answer was confirmed and deleted, so the device cannot have a new change under this number.
        throw Self.cloned(mutation.no)
      }
    }
  }

  /// Requires that the device confirms the answers that it gets: the server keeps each until then.
  ///
  /// - Throws: `quota_exceeded`.
  func requireConfirmed(_ mutations: [SyncMutation]) throws(DomainError) {
    guard unconfirmed >= SyncLimits.unconfirmed, mutations.contains(where: { known[$0.no]?.result == nil })
    else { return }
    throw DomainError(
      .quotaExceeded,
      "the device has not confirmed \(SyncLimits.unconfirmed) answers",
      hint: "send confirmed_no, the number up to which every answer is stored",
      details: ["limit": .integer(SyncLimits.unconfirmed)]
    )
  }

  /// Returns the judgement that is known without a decision; nil if the change has to be judged.
  func answer(to mutation: SyncMutation) throws -> PushResult? {
    if let row = known[mutation.no], !Self.isOpen(row), let answer = try PushResult(stored: row) {
      return answer
    }
    if let blocker = waiting[mutation.record], blocker < mutation.no {
      return PushResult(mutation.no, .blocked, more: ["blocked_by": .integer(blocker)])
    }
    guard postponed.contains(mutation.record) else { return nil }
    return PushResult(mutation.no, .retry, more: ["retry_after_ms": .integer(SyncRefusals.pause)])
  }

  /// True if a change has to be judged: it is new, or a person asked for it again.
  private static func isOpen(_ row: SyncItemRow) -> Bool {
    guard row.result != nil else { return true }
    return row.isRetryWanted && [SyncStatus.failed, .conflict].map(\.rawValue).contains(row.status)
  }

  /// Keeps a new judgement.
  ///
  /// - Parameter owner: the owner of the private record; nil for a record of the company.
  /// - Returns: the judgement to answer with: another one if too many changes wait for a person already.
  mutating func keep(_ result: PushResult, of mutation: SyncMutation, owner: UUID?) throws(DomainError)
    -> PushResult
  {
    guard result.result.isFinal else {
      if result.result == .retry { postponed.insert(mutation.record) }
      return result
    }
    let status = try SyncItem.judged(result.result, after: known[mutation.no]).status
    let waits = status != .synced
    let waited =
      known[mutation.no].map { $0.result != nil && $0.status != SyncStatus.synced.rawValue } ?? false
    if waits, !waited {
      guard undecided < SyncLimits.undecided else {
        postponed.insert(mutation.record)
        return Self.crowded(mutation.no)
      }
      undecided += 1
    }
    waiting[mutation.record] = waits ? mutation.no : nil
    judged.append(
      JudgedItem(
        no: mutation.no,
        status: status.rawValue,
        recordType: mutation.type,
        recordID: mutation.record,
        operation: mutation.operation.name,
        owner: owner,
        requestHash: mutation.hash,
        result: result.result.rawValue,
        version: result.version,
        code: result.code,
        mutation: waits ? JSON(mutation.document) : nil,
        answer: waits ? JSON(result.more) : nil
      )
    )
    return result
  }

  private static func crowded(_ no: Int64) -> PushResult {
    PushResult(
      no,
      .retry,
      code: .quotaExceeded,
      more: [
        "detail": .string("\(SyncLimits.undecided) changes of this device wait for a decision"),
        "retry_after_ms": .integer(SyncRefusals.pause),
      ]
    )
  }

  /// The statements that store the judgements of this request.
  func statements(company: UUID, now: Instant) -> [SQL] {
    judged.isEmpty ? [] : [SyncItemStore.judge(judged, company: company, device: device.id, now: now)]
  }

  private static func cloned(_ no: Int64) -> DomainError {
    DomainError(
      .deviceCloned,
      "the number \(no) was used for another change",
      details: ["no": .integer(no)]
    )
  }
}
