import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// A transition over a filter writes the same rows as single transitions.
@Suite(.serialized, .timeLimit(.minutes(60))) struct BulkTests {
  private static func query(_ filters: (String, String)...) -> RecordQuery {
    var query = RecordQuery()
    query.filters = filters.map { (column: $0.0, value: $0.1) }
    query.limit = 100_000
    return query
  }

  /// The rows that a transition writes for each record, without ids, times and hashes.
  private static func traces(_ shop: Workshop, _ type: String, _ ids: [UUID]) async throws -> [String] {
    try await shop.engine.superuser.rows(
      """
      select concat_ws('|', x.name, h.kind, h.seq, h.transition, h.from_status, h.to_status, h.actor_kind, h.actor_name,
        h.comment, h.definition_version, length(h.comment_digest), length(h.changes_digest),
        (select string_agg(k || ':' || jsonb_typeof(v -> 0) || '>' || jsonb_typeof(v -> 1), ',' order by k)
         from jsonb_each(h.changes) e (k, v)),
        (select string_agg(t.fire || t.entry_no || coalesce(t.repeat_every::text, '') || coalesce(t.remaining, 0), ','
           order by t.fire, t.entry_no)
         from core.timer t where t.company_id = h.company_id and t.record_id = h.record_id),
        (select string_agg(j.kind || ' ' || (p.payload - '{record_id,webhook_id,actor,queued_at}'::text[])::text, ','
           order by j.kind, p.payload ->> 'history_seq')
         from core.job j join core.job_payload p on p.company_id = j.company_id and p.job_id = j.id
         where p.company_id = h.company_id and p.cause_id = h.record_id),
        (select f.version::text || f.op || f.scope from core.feed f
         where f.company_id = h.company_id and f.record_id = h.record_id))
      from core.history h
      join unnest(\(ids)) with ordinality x (id, name) on x.id = h.record_id
      where h.company_id = \(shop.company.id) and h.record_type = \(type)
      order by x.name, h.seq
      """,
      String.self
    )
  }

  @Test func `it leaves what single transitions leave`() async throws {
    let single = try await Workshop.open(roles: ["admin", "user"])
    let bulk = try await Workshop.open(roles: ["admin", "user"])
    for shop in [single, bulk] {
      try await shop.engine.superuser.execute(
        """
        insert into core.webhook (company_id, id, url, secret, events)
        values (\(shop.company.id), gen_random_uuid(), 'https://hook.example', \(Array(repeating: UInt8(1), count: 49)),
                '{maintenance.entry.completed}')
        """
      )
    }
    var ids: [String: [UUID]] = [:]
    for (name, shop) in [("single", single), ("bulk", bulk)] {
      for _ in 0..<12 { ids[name, default: []].append(try await shop.entry()) }
    }
    let of = (single: ids["single"] ?? [], bulk: ids["bulk"] ?? [])
    for transition in ["start", "complete"] {
      for id in of.single { try await single.take(transition, id, comment: "all of them") }
      let status = transition == "start" ? "pending" : "in_progress"
      let outcome = try await bulk.records.transitionAll(
        bulk.acting("user"),
        type: "maintenance.entry",
        where: Self.query(("status", status)),
        request: TransitionRequest(transition, comment: "all of them")
      )
      #expect(outcome.done == 12)
      #expect(outcome.refused == 0)
    }
    let traces = try await Self.traces(single, "maintenance.entry", of.single)
    #expect(traces.count == 36)
    #expect(try await Self.traces(bulk, "maintenance.entry", of.bulk) == traces)
    #expect(try await Integrity(shop: bulk).faults() == [])
    for id in of.bulk {
      let entry = try await bulk.records.show(bulk.acting("user"), type: "maintenance.entry", id: id)
      #expect(entry["completed_by"] == (bulk.members["user"]?.userID).map { .id($0) } ?? nil)
      #expect(entry["completed_at"]?.string != nil)
    }
  }

  @Test func `each record has its own result, and one that is refused keeps no other back`() async throws {
    let shop = try await Workshop.trial()
    let cheap = try await shop.order("user", ["title": "cheap"])
    let dear = try await shop.order("user", ["title": "dear", "amount": 2000])
    let own = try await shop.order("admin", ["title": "own"])
    for order in [cheap, dear, own] { try await shop.move("submit", order.id) }
    let parked = try await shop.order("user", ["title": "parked"])
    let outcome = try await shop.records.transitionAll(
      shop.acting("admin"),
      type: "trial.order",
      where: Self.query(),
      request: TransitionRequest("reject", comment: "not now")
    )
    #expect(outcome.items.count == 4)
    #expect(outcome.items.first { $0.id == parked.id }?.code == .wrongState)
    #expect(outcome.done == 3)
    for order in [cheap, dear, own] { try await shop.move("submit", order.id) }
    // This transition creates a record for each order, so each order is taken alone in the same transaction.
    let approved = try await shop.records.transitionAll(
      shop.acting("admin"),
      type: "trial.order",
      where: Self.query(("status", "review")),
      request: TransitionRequest("approve")
    )
    let codes = Dictionary(uniqueKeysWithValues: approved.items.map { ($0.name ?? "", $0.code) })
    #expect(codes == ["cheap": nil, "dear": .guardRefused, "own": .fourEyes])
    let tasks = try await shop.records.list(shop.acting("owner"), type: "trial.task", RecordQuery())
    #expect(tasks.map { $0["order_id"] } == [.id(cheap.id)])
    for order in [cheap, dear, own] {
      #expect(try await shop.records.verify(shop.operatorContext, type: "trial.order", id: order.id) == nil)
    }
  }

  @Test func `a record that is refused half way leaves nothing of itself`() async throws {
    let shop = try await Workshop.trial()
    let (bare, whole) = (try await shop.order("user"), try await shop.order("user", ["title": "whole"]))
    for order in [bare, whole] { try await shop.move("submit", order.id) }
    // Approval creates a task, which requires a title.
    let cleared: JSONObject = ["title": .null]
    _ = try await shop.records.update(shop.acting("user"), type: "trial.order", id: bare.id, fields: cleared)
    let jobs = try await shop.jobs(of: bare.id)
    let outcome = try await shop.records.transitionAll(
      shop.acting("admin"),
      type: "trial.order",
      where: Self.query(("status", "review")),
      request: TransitionRequest("approve")
    )
    #expect(outcome.items.first { $0.id == bare.id }?.code == .missingFields)
    #expect(outcome.items.first { $0.id == whole.id }?.status == "approved")
    #expect(try await shop.jobs(of: bare.id) == jobs, "nobody is told of what did not happen")
    let order = try await shop.records.show(shop.acting("admin"), type: "trial.order", id: bare.id)
    #expect(order["status"] == "review")
    #expect(try await Integrity(shop: shop).faults() == [])
    for id in [bare.id, whole.id] {
      #expect(try await shop.records.verify(shop.operatorContext, type: "trial.order", id: id) == nil)
    }
  }

  @Test func `guards are asked of every record`() async throws {
    let shop = try await Workshop.open(roles: ["admin", "user"])
    let free = try await shop.records.create(
      shop.operatorContext,
      type: "maintenance.machine",
      fields: ["code": "RM-002", "name": "Idle"]
    )
    _ = try await shop.entry()
    let outcome = try await shop.records.transitionAll(
      shop.acting("admin"),
      type: "maintenance.machine",
      where: Self.query(("status", "active")),
      request: TransitionRequest("retire")
    )
    #expect(outcome.items.first { $0.id == free.id }?.status == "retired")
    #expect(outcome.items.first { $0.id == shop.machine }?.code == .guardRefused)
    #expect(try await Integrity(shop: shop).faults() == [])
  }

  @Test func `ten thousand orders give ten thousand results in one transaction`() async throws {
    let shop = try await Workshop.trial()
    try await shop.fill(10_000, status: "draft")
    let counter = Counter()
    let outcome = try await shop.records.transitionAll(
      shop.acting("user"),
      type: "trial.order",
      where: Self.query(("status", "draft")),
      request: TransitionRequest("submit"),
      progress: { _, _ in counter.add() }
    )
    #expect(outcome.items.count == 10_000)
    #expect(outcome.done == 10_000)
    #expect(counter.value == 40)
    let left = try await shop.engine.superuser.value(
      """
      select concat_ws(' ', count(*), count(distinct t.history_hash), count(distinct h.request_id), count(distinct h.occurred_at),
        (select count(*) from core.timer m where m.company_id = \(shop.company.id)),
        (select count(*) from core.job_queued j where j.company_id = \(shop.company.id) and j.kind = 'notify.send'),
        (select count(*) from core.feed f where f.company_id = \(shop.company.id) and f.version = 2))
      from trial.order t
      join core.history h on h.company_id = t.company_id and h.record_id = t.id and h.hash = t.history_hash
      where t.company_id = \(shop.company.id) and t.status = 'review' and t.version = 2
      """,
      as: String.self
    )
    #expect(left == "10000 10000 1 1 10000 10000 10000")
    let some = try await shop.engine.superuser.rows(
      "select id from trial.order where company_id = \(shop.company.id) order by id limit 20",
      UUID.self
    )
    for id in some {
      #expect(try await shop.records.verify(shop.operatorContext, type: "trial.order", id: id) == nil)
    }
  }

  /// Inserts orders in review as after a submission: rows, history heads, timers, jobs, feed.
  private static func submitted(_ shop: Workshop) async throws -> String {
    try await shop.engine.superuser.value(
      """
      select concat_ws(' ', count(*), count(h.hash),
        (select count(*) from core.history a where a.company_id = \(shop.company.id) and a.kind = 'transition'),
        (select count(*) from core.timer m where m.company_id = \(shop.company.id)),
        (select count(*) from core.job_queued j where j.company_id = \(shop.company.id) and j.kind = 'notify.send'),
        (select count(*) from core.job_queued p where p.company_id = \(shop.company.id) and p.cause_type = 'trial.order'),
        (select count(*) from core.feed f where f.company_id = \(shop.company.id) and f.version = 2))
      from trial.order t
      left join core.history h on h.company_id = t.company_id and h.record_id = t.id and h.hash = t.history_hash
      where t.company_id = \(shop.company.id) and t.status = 'review' and t.version = 2
      """,
      as: String.self
    )
  }

  @Test func `a refusal in one part does not hold back another part`() async throws {
    let shop = try await Workshop.trial()
    try await shop.fill(600, status: "draft")
    try await shop.fill(150, status: "parked")
    let parked = try await shop.engine.superuser.rows(
      "select id from trial.order where company_id = \(shop.company.id) and status = 'parked' order by id",
      UUID.self
    )
    let outcome = try await shop.records.transitionAll(
      shop.acting("user"),
      type: "trial.order",
      where: Self.query(),
      request: TransitionRequest("submit")
    )
    #expect(outcome.items.map(\.id.text) == outcome.items.map(\.id.text).sorted())
    #expect(outcome.items.filter { $0.code == .wrongState }.map(\.id) == parked)
    #expect(outcome.items.count { $0.code == nil && $0.version == 2 && $0.status == "review" } == 600)
    let left = try await Self.submitted(shop)
    #expect(left == "600 600 600 600 600 600 600")
  }

  @Test func `a value that its table refuses in a later part keeps no other back`() async throws {
    let shop = try await Workshop.trial(TrialApp.engine())
    try await shop.fill(600, status: "draft")
    let ids = try await shop.engine.superuser.rows(
      "select id from trial.order where company_id = \(shop.company.id) order by id",
      UUID.self
    )
    let refused = [ids[300], ids[599]]
    try await shop.engine.superuser.transaction { tx in
      try tx.execute("set local fettle.write = 'import'")
      try tx.execute(
        "update trial.order set note = 'stays' where company_id = \(shop.company.id) and id = any (\(refused))"
      )
      try tx.execute(
        "alter table trial.order add constraint stays check (note is distinct from 'stays' or status = 'draft')"
      )
    }
    let outcome = try await shop.records.transitionAll(
      shop.acting("user"),
      type: "trial.order",
      where: Self.query(),
      request: TransitionRequest("submit")
    )
    #expect(outcome.items.map(\.id) == ids)
    #expect(outcome.items.filter { $0.code != nil }.map(\.id) == refused)
    let left = try await Self.submitted(shop)
    #expect(left == "598 598 598 598 598 598 598")
    for id in [ids[0], ids[299], ids[301], ids[598]] {
      #expect(try await shop.records.verify(shop.operatorContext, type: "trial.order", id: id) == nil)
    }
  }

  @Test func `guards are asked in every part`() async throws {
    let shop = try await Workshop.open(roles: ["admin", "user"])
    _ = try await shop.entry()
    try await shop.engine.superuser.transaction { tx in
      try tx.execute("set local fettle.write = 'import'")
      try tx.execute(
        """
        insert into maintenance.machine (company_id, id, code, name, status, status_category)
        select \(shop.company.id), gen_random_uuid(), 'X-' || n, 'Machine ' || n, 'active', 'active'
        from generate_series(1, 600) n
        """
      )
    }
    let outcome = try await shop.records.transitionAll(
      shop.acting("admin"),
      type: "maintenance.machine",
      where: Self.query(("status", "active")),
      request: TransitionRequest("retire")
    )
    #expect(outcome.done == 600)
    #expect(outcome.items.filter { $0.code == .guardRefused }.map(\.id) == [shop.machine])
  }

  @Test func `a repetition under its key gets the first answer, and a dry run leaves nothing`() async throws {
    let shop = try await Workshop.trial()
    for _ in 0..<3 { _ = try await shop.order() }
    let before = try await shop.rows()
    func submit(key: String? = nil, dryRun: Bool = false, comment: String? = nil) async throws -> BulkOutcome
    {
      try await shop.records.transitionAll(
        shop.acting("user"),
        type: "trial.order",
        where: Self.query(("status", "draft")),
        request: TransitionRequest("submit", comment: comment),
        key: key,
        dryRun: dryRun
      )
    }
    #expect(try await submit(dryRun: true).done == 3)
    #expect(try await shop.rows() == before)
    let first = try await submit(key: "bulk")
    let again = try await submit(key: "bulk")
    #expect(again.items.map(\.id) == first.items.map(\.id))
    #expect(again.done == 3)
    let other = try await refused { _ = try await submit(key: "bulk", comment: "another request") }
    #expect(other.code == .idempotencyConflict)
    #expect(try await submit().items.isEmpty)
  }

  @Test func `a member who sees only their own records changes only those`() async throws {
    let shop = try await Workshop.trial()
    let own = try await shop.order("service")
    let others = try await shop.order("user")
    let outcome = try await shop.records.transitionAll(
      shop.acting("service"),
      type: "trial.order",
      where: Self.query(("status", "draft")),
      request: TransitionRequest("submit")
    )
    #expect(outcome.items.first { $0.id == own.id }?.status == "review")
    #expect(!outcome.items.contains { $0.id == others.id }, "not even as refused")
    let viewer = try await shop.records.transitionAll(
      shop.acting("viewer"),
      type: "trial.order",
      where: Self.query(),
      request: TransitionRequest("submit")
    )
    #expect(viewer.items.allSatisfy { $0.code == .forbidden })
  }
}
