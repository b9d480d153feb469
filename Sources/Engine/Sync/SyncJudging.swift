internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import SyncProtocol

/// The judgement of the changes of one push, in the device's order.
struct SyncJudging {
  private let push: SyncPush
  private let acting: ActingContext
  private let access: Access
  private let device: DeviceRow
  /// The stored judgements of earlier requests, by number.
  private let known: [Int64: SyncItemRow]
  /// The records with a change that waits for a person, with the number of the first one.
  private var waiting: [UUID: Int64] = [:]
  /// The records as they are now: read once, and kept up to date.
  private var states: SyncStates
  private var judged: [JudgedItem] = []
  private(set) var results: [PushResult] = []
  /// The numbers of failed changes that a person asks the device to send again.
  let wanted: [Int64]

  /// Reads what is known of the changes, and locks their records in the order that all writers share.
  init(
    _ push: SyncPush,
    _ acting: ActingContext,
    _ access: Access,
    _ device: DeviceRow,
    _ mutations: [SyncMutation],
    in work: inout Work
  ) throws {
    self.push = push
    self.acting = acting
    self.access = access
    self.device = device
    let company = acting.company.id
    let (known, unresolved, wanted) = try work.readMore { pipeline in
      (
        pipeline.rows(
          SyncItemStore.known(company: company, device: device.id, nos: mutations.map(\.no)),
          as: SyncItemRow.self
        ),
        pipeline.rows(SyncItemStore.unresolved(company: company, device: device.id), Int64.self, UUID.self),
        pipeline.rows(SyncItemStore.wanted(company: company, device: device.id), Int64.self)
      )
    }
    let rows = Dictionary(try known.all.map { ($0.no, $0) }) { first, _ in first }
    self.known = rows
    self.wanted = try wanted.all
    for (no, record) in try unresolved.all where waiting[record] == nil { waiting[record] = no }
    let open = mutations.filter { Self.isOpen(rows[$0.no]) }
    let types = Set(push.records.catalogue.types.map(\.name))
    let judgeable = open.filter { types.contains($0.type) }
    let lockable = judgeable.map(\.request).filter { push.records.canLock($0) }
    try push.records.lock(acting, lockable, in: &work)
    states = try SyncStates(judgeable, push.records.catalogue, company: company, work)
  }

  private var decision: SyncDecision { SyncDecision(push.records, acting, access, device: device.id) }

  /// True if a change has to be judged: it is new, or a person asked for it again.
  private static func isOpen(_ row: SyncItemRow?) -> Bool {
    guard let row, row.result != nil else { return true }
    return row.status == SyncStatus.failed.rawValue && row.isRetryWanted
  }

  /// Judges one change, and applies it if it can be.
  ///
  /// - Throws: `device_cloned` if its number was used for another change.
  mutating func judge(_ mutation: SyncMutation, in work: inout Work) throws {
    if let row = known[mutation.no], let hash = row.requestHash {
      guard hash == mutation.hash else { throw Self.cloned(mutation.no) }
      if !Self.isOpen(row), let answer = try PushResult(stored: row) {
        return results.append(try decision.showing(answer, of: mutation, in: work))
      }
    } else if mutation.no <= device.confirmedNo {
      // The answer was confirmed and forgotten, so the device cannot have a new change under this number.
      throw Self.cloned(mutation.no)
    }
    if let blocker = waiting[mutation.record], blocker < mutation.no {
      return results.append(PushResult(mutation.no, .blocked, more: ["blocked_by": .integer(blocker)]))
    }
    let result = try decision.apply(mutation, &states, in: &work)
    results.append(result)
    guard result.result.isFinal else { return }
    try keep(result, of: mutation)
  }

  private mutating func keep(_ result: PushResult, of mutation: SyncMutation) throws(DomainError) {
    let status = try SyncItem.judged(result.result, after: known[mutation.no]).status
    if status == .synced { waiting[mutation.record] = nil } else { waiting[mutation.record] = mutation.no }
    let waits = status != .synced
    judged.append(
      JudgedItem(
        no: mutation.no,
        status: status.rawValue,
        recordType: mutation.type,
        recordID: mutation.record,
        operation: mutation.operation.name,
        owner: push.records.owner(ofNew: mutation.type, by: acting),
        requestHash: mutation.hash,
        result: result.result.rawValue,
        version: result.version,
        code: result.code,
        mutation: waits ? JSON(mutation.document) : nil,
        answer: waits ? JSON(result.more) : nil
      )
    )
  }

  /// The statements that store the judgements.
  var statements: [SQL] {
    guard !judged.isEmpty else { return [] }
    return [SyncItemStore.judge(judged, company: acting.company.id, device: device.id, now: access.now)]
  }

  private static func cloned(_ no: Int64) -> DomainError {
    DomainError(
      .deviceCloned,
      "the number \(no) was used for another change",
      details: ["no": .integer(no)]
    )
  }
}

extension Records {
  /// True if the references of an operation can be read; otherwise its judgement names the bad one.
  fileprivate func canLock(_ operation: RecordOperation) -> Bool {
    do {
      _ = try parents(of: try catalogue.type(operation.subject.type), operation.fields)
      return true
    } catch {
      return false
    }
  }
}
