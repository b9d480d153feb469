import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct VerifyTests {
  @Test(arguments: [false, true])
  func `a company that was worked in holds`(isQuick: Bool) async throws {
    let shop = try await Workshop.worked()
    var scope = Verification.Scope()
    scope.isQuick = isQuick
    let report = try await shop.verify(scope)
    #expect(report.findings.filter { $0.company != nil } == [])
    #expect(report.companies == 1)
    #expect(report.records == 4)
    #expect(report.entries == (isQuick ? 0 : 9))
  }

  @Test(arguments: [
    "update core.history set hash = set_bit(hash, 9, 1 - get_bit(hash, 9))",
    "update core.history set changes = jsonb_set(changes, '{description,1}', '\"lekas\"')",
    "update core.history set actor_name = actor_name || ' '",
    "update core.history set occurred_at = occurred_at + interval '1 microsecond'",
    "update core.history set salt = set_bit(salt, 0, 1 - get_bit(salt, 0))",
    "update core.history set changes_digest = set_bit(changes_digest, 0, 1 - get_bit(changes_digest, 0))",
    "update core.history set actor_kind = 'device'",
    "update core.history set kind = 'import'",
  ])
  func `one changed bit of an entry is found`(change: String) async throws {
    let shop = try await Workshop.worked()
    let entry = try await shop.entry("user", ["description": "leaks"])
    try await shop.take("start", entry)
    try await shop.tamper(
      "\(SQL(trusted: change)) where company_id = \(shop.company.id) and record_id = \(entry) and seq = 1"
    )
    #expect(
      try await shop.historyFaults() == ["history_altered \(entry.text) entry 1 of its history was changed"]
    )
  }

  @Test func `two entries in each other's place are found`() async throws {
    let shop = try await Workshop.worked()
    let entry = try await shop.entry()
    for transition in ["start", "pause", "start", "complete"] { try await shop.take(transition, entry) }
    let rows: SQL = "company_id = \(shop.company.id) and record_id = \(entry)"
    try await shop.tamper("update core.history set seq = 99 where \(rows) and seq = 2")
    try await shop.tamper("update core.history set seq = 2 where \(rows) and seq = 4")
    try await shop.tamper("update core.history set seq = 4 where \(rows) and seq = 99")
    #expect(
      try await shop.historyFaults() == [
        "history_swapped \(entry.text) entry 2 of its history stands in another one's place"
      ]
    )
  }

  @Test(arguments: [false, true])
  func `a last entry that is missing is found`(isQuick: Bool) async throws {
    let shop = try await Workshop.worked()
    let entry = try await shop.entry()
    try await shop.take("start", entry)
    try await shop.tamper(
      "delete from core.history where company_id = \(shop.company.id) and record_id = \(entry) and seq = 2"
    )
    var scope = Verification.Scope()
    scope.isQuick = isQuick
    let found = try await shop.verify(scope).findings.filter { $0.company != nil }
    // The timer and the job have lost their cause.
    #expect(found.map(\.code) == [.historyMissing, .timerMisplaced, .jobWithoutCause])
    #expect(found.first?.record == entry)
  }

  @Test(arguments: [false, true])
  func `a chain that is gone is found`(isQuick: Bool) async throws {
    let shop = try await Workshop.worked()
    let entry = try await shop.entry()
    try await shop.tamper(
      "delete from core.history where company_id = \(shop.company.id) and record_id = \(entry)"
    )
    var scope = Verification.Scope()
    scope.isQuick = isQuick
    let found = try await shop.verify(scope).findings.filter { $0.company != nil }
    // Its timer refers to a missing entry, too.
    #expect(found.map(\.code) == [.historyMissing, .timerMisplaced])
    #expect(found.allSatisfy { $0.record == entry })
  }

  @Test func `a record that is gone with its chain leaves its place in the feed`() async throws {
    let shop = try await Workshop.worked()
    let entry = try await shop.entry()
    try await shop.tamper(
      "delete from core.history where company_id = \(shop.company.id) and record_id = \(entry)"
    )
    try await shop.tamper(
      "delete from maintenance.entry where company_id = \(shop.company.id) and id = \(entry)"
    )
    let codes = try await shop.verify().findings.filter { $0.company != nil }.map(\.code)
    #expect(codes == [.feedWithoutRecord, .timerMisplaced])
  }

  @Test func `a history without its record is found`() async throws {
    let shop = try await Workshop.worked()
    let entry = try await shop.entry()
    try await shop.tamper(
      "delete from maintenance.entry where company_id = \(shop.company.id) and id = \(entry)"
    )
    let codes = try await shop.verify().findings.filter { $0.company != nil }.map(\.code)
    #expect(codes == [.historyWithoutRecord, .feedWithoutRecord, .timerMisplaced])
  }

  @Test func `an entry that is newer than the record knows is found`() async throws {
    let shop = try await Workshop.worked()
    let entry = try await shop.entry()
    try await shop.take("start", entry)
    try await shop.tamper(
      """
      update maintenance.entry e set history_seq = 1, history_hash = h.hash
      from core.history h
      where e.company_id = \(shop.company.id) and e.id = \(entry)
        and h.company_id = e.company_id and h.record_id = e.id and h.seq = 1
      """
    )
    #expect(
      try await shop.historyFaults() == [
        "history_beyond_head \(entry.text) entry 2 is newer than the record knows"
      ]
    )
  }

  @Test func `the texts of somebody who was erased are not missed`() async throws {
    let shop = try await Workshop.worked()
    let entry = try await shop.entry()
    try await shop.take("start", entry, comment: "gone to the coast")
    try await shop.tamper(
      """
      select core.erase_history(
        \(shop.company.id), 'maintenance.entry', \(entry), null, 'request of the person')
      """
    )
    #expect(try await shop.historyFaults() == [])
    let left = try await shop.engine.superuser.value(
      """
      select count(*) from core.history h
      where h.company_id = \(shop.company.id) and h.record_id = \(entry)
        and (h.actor_name <> '' or h.comment is not null or h.changes <> '{}' or h.salt <> '')
      """,
      as: Int.self
    )
    #expect(left == 0)
  }

  @Test func `texts that somebody blanked are told from erased ones`() async throws {
    let shop = try await Workshop.worked()
    let (entry, other) = (try await shop.entry(), try await shop.entry())
    for id in [entry, other] { try await shop.take("start", id, comment: "gone to the coast") }
    let blank: SQL = """
      update core.history set actor_name = '', comment = null, changes = '{}', salt = ''
      where company_id = \(shop.company.id)
      """
    try await shop.tamper("\(blank) and record_id = \(entry) and seq = 2")
    let expected = [
      "history_blanked \(entry.text) the texts of entry 2 are gone, and no erasure covers them"
    ]
    #expect(try await shop.historyFaults() == expected)
    #expect(
      try await shop.records.verify(shop.operatorContext, type: "maintenance.entry", id: entry)?.reason
        == .blanked
    )
    // The erasure of another entry covers nothing here.
    try await shop.tamper(
      "select core.erase_history(\(shop.company.id), 'maintenance.entry', \(other), '{2}', 'request')"
    )
    try await shop.tamper(
      """
      insert into core.history_erasure (company_id, record_type, record_id, seq, covers, reason)
      select x.company_id, x.record_type, \(entry), x.seq, x.covers, x.reason
      from core.history_erasure x where x.company_id = \(shop.company.id) and x.record_id = \(other)
      """
    )
    #expect(try await shop.historyFaults() == expected)
    // One text alone cannot be blanked at all.
    for text in ["actor_name = ''", "comment = null", "changes = '{}'", "salt = ''"] {
      let third = try await shop.entry()
      try await shop.take("start", third, comment: "soon")
      try await shop.tamper(
        "update core.history set \(SQL(trusted: text)) where company_id = \(shop.company.id) and record_id = \(third) and seq = 2"
      )
      let found = try await shop.historyFaults().filter { $0.contains(third.text) }
      #expect(found.map { $0.prefix(15) } == ["history_altered"], "\(text): \(found)")
    }
  }

  @Test(arguments: [
    (
      "update maintenance.entry set status = 'completed', status_category = 'done'",
      VerifyFinding.Code.statusNotFold
    ),
    ("update maintenance.entry set version = version + 1", .versionNotWrites),
    ("update maintenance.entry set deleted_at = now()", .deletionNotFold),
    ("update core.feed set version = version - 1", .feedVersion),
    ("update core.feed set op = 'delete'", .feedOperation),
    ("update core.feed set changed_at = now() + interval '1 hour'", .feedOrder),
    ("delete from core.feed", .feedMissing),
    ("delete from core.history", .historyMissing),
    ("update core.timer set entry_no = entry_no + 100", .timerMisplaced),
    ("update core.timer set fire = 'complete'", .timerMisplaced),
    ("update core.job_queued set payload = payload || '{\"history_seq\": 7}'", .jobWithoutCause),
    ("update core.job_queued set cause_id = gen_random_uuid()", .jobWithoutCause),
    ("update core.job_queued set attempt = max_attempts", .jobNotClaimable),
    ("update core.idempotency set answer = null", .keyWithoutAnswer),
    ("delete from core.sync_gate", .companyIncomplete),
  ])
  func `a fault that was planted is found`(change: String, code: VerifyFinding.Code) async throws {
    let shop = try await Workshop.worked()
    _ = try await shop.records.create(
      shop.acting("user"),
      type: "maintenance.entry",
      fields: shop.fields(),
      key: "once"
    )
    #expect(try await shop.verify().findings.filter { $0.company != nil } == [])
    try await shop.tamper("\(SQL(trusted: change)) where company_id = \(shop.company.id)")
    let codes = try await shop.verify().findings.filter { $0.company != nil }.map(\.code)
    #expect(codes.contains(code))
  }

  @Test func `a living record that holds on to a deleted one is found`() async throws {
    let shop = try await Workshop.worked()
    try await shop.tamper(
      "update maintenance.machine set deleted_at = now() where company_id = \(shop.company.id)"
    )
    let codes = Set(try await shop.verify().findings.filter { $0.company != nil }.map(\.code))
    #expect(codes == [.danglingReference, .deletionNotFold, .feedOperation])
  }

  @Test func `another company's faults are not this one's`() async throws {
    let shop = try await Workshop.worked()
    let other = try await Workshop.worked()
    try await other.tamper("delete from core.history where company_id = \(other.company.id)")
    #expect(try await shop.verify().findings.filter { $0.company != nil } == [])
    let both = try await Verification(shop.engine.operators, catalogue: shop.engine.catalogue)
      .run([shop.company, other.company])
    #expect(Set(both.findings.compactMap(\.company)) == [other.company.slug])
  }

  @Test func `a chain that is gone without a trace breaks the seal of its day`() async throws {
    let shop = try await Workshop.worked()
    let entry = try await shop.entry()
    try await shop.seal()
    #expect(try await shop.verify().findings.filter { $0.company != nil } == [])
    for table in ["core.history", "core.feed", "core.timer"] {
      try await shop.tamper(
        "delete from \(SQL(trusted: table)) where company_id = \(shop.company.id) and record_id = \(entry)"
      )
    }
    try await shop.tamper(
      "delete from maintenance.entry where company_id = \(shop.company.id) and id = \(entry)"
    )
    for isQuick in [false, true] {
      var scope = Verification.Scope()
      scope.isQuick = isQuick
      let found = try await shop.verify(scope).findings.filter { $0.company != nil }
      #expect(found.map(\.code) == [.sealBroken])
      #expect(found.first?.what.contains("covers 5 histories, but there are 4") == true)
    }
  }

  @Test func `a seal that names another one before it is broken, though its own digest fits`() async throws {
    let shop = try await Workshop.worked()
    try await shop.seal(daysAgo: 1)
    try await shop.seal()
    #expect(try await shop.verify().findings.filter { $0.company != nil } == [])
    try await shop.tamper(
      """
      update core.history_seal set previous_digest = set_byte(previous_digest, 7, get_byte(previous_digest, 7) # 1)
      where company_id = \(shop.company.id) and sealed_on = current_date
      """
    )
    for isQuick in [false, true] {
      var scope = Verification.Scope()
      scope.isQuick = isQuick
      let found = try await shop.verify(scope).findings.filter { $0.company != nil }
      #expect(found.map(\.code) == [.sealBroken])
      #expect(found.first?.what.contains("does not follow the one before it") == true)
    }
  }

  @Test func `a history that was cut short with all that hangs on it breaks the seal`() async throws {
    let shop = try await Workshop.worked()
    let entry = try await shop.entry()
    try await shop.take("start", entry)
    try await shop.seal()
    // The end of the history is removed with its head, its feed and all dependent rows: only the seal
    // differs.
    let rows: SQL = "company_id = \(shop.company.id) and record_id = \(entry)"
    try await shop.tamper("delete from core.history where \(rows) and seq = 2")
    try await shop.tamper("delete from core.timer where \(rows) and entry_no = 2")
    try await shop.tamper(
      "delete from core.job_queued where company_id = \(shop.company.id) and cause_id = \(entry)"
    )
    try await shop.tamper("update core.feed set version = 1 where \(rows)")
    try await shop.tamper(
      """
      update maintenance.entry e
      set history_seq = 1, history_hash = h.hash, version = 1, status = 'pending', status_category = 'open'
      from core.history h
      where e.company_id = \(shop.company.id) and e.id = \(entry)
        and h.company_id = e.company_id and h.record_id = e.id and h.seq = 1
      """
    )
    let found = try await shop.verify().findings.filter { $0.company != nil }
    #expect(found.map(\.code) == [.sealBroken])
    #expect(found.first?.what.contains("does not fit what history says now") == true)
  }

  @Test(.app("macros")) func `private records are verified too, though only their owner sees them`()
    async throws
  {
    let shop = try await Workshop.worked()
    var made: [UUID] = []
    for name in ["user", "user", "admin"] {
      made.append(
        try await shop.records.create(
          shop.acting(name),
          type: "macros.goal",
          fields: [
            "protein_g": 120, "carbs_g": 200, "fat_g": 60,
            "effective_from": .string("2026-01-0\(made.count + 1)"),
          ]
        ).id
      )
    }
    let whole = try await shop.verify()
    #expect(whole.findings.filter { $0.company != nil } == [])
    #expect(whole.records == 7 && whole.entries == 12)
    try await shop.tamper(
      "update macros.goal set version = 9 where company_id = \(shop.company.id) and id = \(made[2])"
    )
    try await shop.tamper(
      "delete from core.feed where company_id = \(shop.company.id) and record_id = \(made[1])"
    )
    try await shop.tamper(
      "delete from core.history where company_id = \(shop.company.id) and record_id = \(made[0])"
    )
    let found = try await shop.verify().findings.filter { $0.company != nil }
    #expect(
      Set(found.map { "\($0.code.rawValue) \($0.record?.text ?? "-")" }) == [
        "version_not_writes \(made[2].text)", "feed_version \(made[2].text)", "feed_missing \(made[1].text)",
        "history_missing \(made[0].text)",
      ]
    )
  }

  @Test func `one type, and one record, can be looked at alone`() async throws {
    let shop = try await Workshop.worked()
    let entry = try await shop.entry()
    let other = try await shop.entry()
    try await shop.tamper(
      "delete from core.history where company_id = \(shop.company.id) and record_id = \(other)"
    )
    var scope = Verification.Scope()
    scope.isHistoryOnly = true
    scope.type = "maintenance.entry"
    #expect(try await shop.verify(scope).findings.map(\.record) == [other])
    scope.record = entry
    #expect(try await shop.verify(scope).findings == [])
    #expect(try await shop.verify(scope).entries == 1)
    scope.record = nil
    scope.type = "maintenance.machine"
    #expect(try await shop.verify(scope).findings == [])
  }
}
