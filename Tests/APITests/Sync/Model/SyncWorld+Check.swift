import API
import Domain
import Engine
import EngineFixtures
import FettleClient
import FoundationEssentials
import Postgres
import Store
import SyncProtocol
import Testing

/// The invariants of the model.
extension SyncWorld {
  /// Requires that a store holds nothing but what the API shows. Call after a complete synchronisation.
  mutating func checkReadable(_ phone: ModelPhone) async throws {
    let living = try await living(phone)
    for record in try await phone.client.all(Self.type) {
      // What this phone created is its own until the server has judged it.
      if living[record.id.text] == nil, !(record.isChanged && record.version == 0) {
        // An unresolved change keeps a record in view that is deleted, or that a restored server does not have until
        // its creator sends it again, so that the person can decide.
        let changes = try await phone.client.changes.filter { $0.record == record.id }
        let open = changes.contains { $0.status.isOpen }
        let isLiving = try await isLiving(record.id)
        if !open || isLiving {
          problems.append(
            """
            \(phone.name) has \(record.id.text), which it may not read (\(isLiving ? "living" : "gone"), version \
            \(record.version), \(record.isChanged ? "changed" : "unchanged"), changes \(changes.map { "\($0.operation) \($0.status)" }))
            """
          )
        }
      }
    }
  }

  /// Requires that the world has settled rightly.
  mutating func check() async throws {
    for phone in phones { try await checkStore(phone) }
    try await checkPhotos()
    try await checkEffects()
    try await checkAcknowledged()
    try await checkOverwritten()
    try await checkHistory()
  }

  /// Requires that `fettle verify` finds nothing.
  private mutating func checkHistory() async throws {
    let engine = api.shop.engine
    let report = try await Verification(engine.operators, catalogue: engine.catalogue).run([api.shop.company])
    problems += report.findings.map {
      "\($0.code.rawValue) of \($0.record?.text ?? "the company"): \($0.what)"
    }
  }

  /// Counts what the server has judged, and what the phones have sent.
  func tally() async throws -> SyncTally {
    var tally = SyncTally()
    for phone in phones {
      let counts = phone.transport.counts
      tally.requests += counts.requests
      tally.faults += counts.faults
    }
    let judged = try await api.shop.engine.superuser.rows(
      """
      select count(i.result), count(*) filter (where i.result = 'conflict'),
        count(*) filter (where i.result = 'rejected')
      from core.sync_item i where i.company_id = \(api.shop.company.id)
      """,
      Int.self,
      Int.self,
      Int.self
    )
    if let counts = judged.first { (tally.judged, tally.conflicts, tally.refused) = counts }
    return tally
  }

  private func isLiving(_ id: UUID) async throws -> Bool {
    try await api.shop.engine.superuser.value(
      "select exists (select from maintenance.entry e where e.company_id = \(api.shop.company.id) and e.id = \(id) "
        + "and e.deleted_at is null)",
      as: Bool.self
    )
  }

  /// The records that the API shows a phone's member.
  private func living(_ phone: ModelPhone) async throws -> [String: JSONObject] {
    guard !phone.isOut else { return [:] }
    let list = try await api.get("/v1/maintenance/entry?limit=200", as: phone.caller)
    #expect(list.json["next"] == nil)
    return Dictionary(list.items.map { ($0["id"]?.string ?? "", $0) }) { first, _ in first }
  }

  private mutating func checkStore(_ phone: ModelPhone) async throws {
    for record in try await phone.client.all(Self.type) where record.isChanged {
      problems.append("\(phone.name): \(record.id.text) is never settled")
    }
    try await checkColumns(phone)
  }

  /// Requires that the history of every record has one entry for each change that was applied.
  private mutating func checkEffects() async throws {
    let company = api.shop.company.id
    let entries = try await api.shop.engine.superuser.value(
      """
      select count(*) from core.history h
      where h.company_id = \(company) and h.record_type = \(Self.type)
        -- Somebody gave up a photo whose change had been applied: the phone takes it back without a change.
        and not coalesce(h.changes -> 'files' -> 1 = 'null', false)
      """,
      as: Int.self
    )
    // A repeated deletion, or a creation by two devices, is applied once, and has the version of the first.
    let applied = deletions.union(try await judgements().compactMap(\.effect)).count
    if entries != applied + direct {
      problems.append(
        "the history has \(entries) entries of \(applied) changes of phones and \(direct) others"
      )
    }
  }

  /// Requires that the server has every change that a phone shows as synchronised, and the other way round.
  private mutating func checkAcknowledged() async throws {
    let judgements = try await judgements()
    for phone in phones {
      let device = try await phone.client.device
      let mine = judgements.filter { $0.device == device }.map { ($0.number, $0.status) }
      let stored = Dictionary(mine) { first, _ in first }
      for change in try await phone.client.changes where change.id.device == device {
        // A change that was given up before the server heard of it may be unknown there.
        let status = stored[change.id.number] ?? (change.status == .resolved ? "resolved" : "unknown")
        if status != change.status.rawValue {
          problems.append(
            "\(phone.name): change \(change.id.number) is \(change.status), on the server \(status)"
          )
        }
      }
    }
  }

  /// The judgements of the server, with those that it has forgotten since.
  private func judgements() async throws -> Set<Judgement> { try await remembered().union(forgotten) }

  /// The judgements that the server has now.
  func remembered() async throws -> Set<Judgement> {
    let rows = try await api.shop.engine.superuser.rows(
      """
      select i.device_id, i.no, i.status,
        case when i.record_type = \(Self.type)
          and (i.status = 'synced' or i.status = 'resolved' and i.resolution in ('mine', 'merge'))
          then i.record_id || '/' || coalesce(i.version, 0) end
      from core.sync_item i where i.company_id = \(api.shop.company.id)
      """,
      UUID.self,
      Int64.self,
      String.self,
      String?.self
    )
    return Set(rows.map { Judgement(device: $0.0, number: $0.1, status: $0.2, effect: $0.3) })
  }

  /// What the server decided about a change of a phone.
  struct Judgement: Hashable, Sendable {
    let device: UUID
    let number: Int64
    let status: String
    /// The record and the version that the change led to; nil if it was not applied.
    let effect: String?
  }
}
