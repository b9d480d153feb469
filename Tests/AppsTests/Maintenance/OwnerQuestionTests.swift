import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Store
import TestDatabase
import Testing

/// The five questions of an owner in `deploy/guide/reporting.md`, as the page writes them, against sums of the base tables.
@Suite(.timeLimit(.minutes(60))) struct OwnerQuestionTests {
  /// What each question of the page must find, in its order. `{c}` is the company.
  private static let sums = [
    """
    select concat_ws('|', to_char(e.reported_on, 'YYYY-MM-01'), coalesce(sum(e.actual_cost), 0))
    from maintenance.entry e where e.company_id = '{c}' and e.deleted_at is null
    group by to_char(e.reported_on, 'YYYY-MM-01')
    """,
    """
    select concat_ws('|', (select m.code from maintenance.machine m where m.id = e.machine_id and m.company_id = '{c}'),
      count(*), count(e.completed_at - e.started_at), round(avg(extract(epoch from e.completed_at - e.started_at) / 3600), 2))
    from maintenance.entry e
    where e.company_id = '{c}' and e.deleted_at is null and e.status = 'completed' and e.plan_id is null
    group by e.machine_id
    """,
    """
    select concat_ws('|', t.user_name, sum(t.actual_hours))
    from maintenance.time_entry t where t.company_id = '{c}' and t.deleted_at is null group by t.user_name
    """,
    """
    select concat_ws('|', e.number,
      (select m.code from maintenance.machine m where m.id = e.machine_id and m.company_id = '{c}'), e.due_on,
      (now() at time zone 'Pacific/Auckland')::date - e.due_on)
    from maintenance.entry e
    where e.company_id = '{c}' and e.deleted_at is null and e.status <> 'completed'
      and e.due_on < (now() at time zone 'Pacific/Auckland')::date
    """,
    """
    select concat_ws('|', (select m.code from maintenance.machine m where m.id = e.machine_id and m.company_id = '{c}'),
      count(*), sum(e.estimated_hours), min(e.reported_on))
    from maintenance.entry e
    where e.company_id = '{c}' and e.deleted_at is null and e.status in ('pending', 'in_progress') group by e.machine_id
    """,
  ]

  @Test(arguments: 0..<5)
  func `a question of the guide has the answer of the base tables`(_ number: Int) async throws {
    let questions = try Self.questions()
    #expect(questions.count == Self.sums.count)
    // The company next door has the same entries, and is left out by the question.
    let (shop, other) = (try await Self.filled(), try await Self.filled())
    let question = questions[number].replacing("'demo'", with: "'\(shop.company.slug)'")
    #expect(question != questions[number] && other.company.id != shop.company.id)
    #expect(question.split(separator: "\n").count <= 4, "a short select")
    let answer = try await Self.rows(shop.engine, as: "fettle_report", question)
    let sum = Self.sums[number].replacing("{c}", with: shop.company.id.uuidString)
    let expected = try await shop.engine.superuser.rows(SQL(trusted: sum), String.self)
    #expect(!expected.isEmpty)
    #expect(answer.sorted() == expected.sorted())
  }

  @Test func `the months of the costs add up to their years`() async throws {
    let shop = try await Self.filled()
    let months = try await shop.report("v1_cost_by_month", "sum(cost) over (), sum(hours) over ()")
    let years = try await shop.report("v1_machine_cost_by_year", "sum(cost) over (), sum(hours) over ()")
    #expect(Set(months) == Set(years) && !months.isEmpty)
  }

  /// The blocks marked `sql` of the page, without their semicolons.
  private static func questions() throws -> [String] {
    var folder = URL(filePath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    let page = try String(contentsOf: folder.appending(path: "deploy/guide/reporting.md"), encoding: .utf8)
    return page.components(separatedBy: "```sql\n").dropFirst().compactMap { block in
      block.components(separatedBy: "```").first?.trimmingCharacters(in: ["\n", ";"])
    }
  }

  /// The rows of a statement, each as the texts of its columns.
  private static func rows(_ engine: EngineFixture, as role: String, _ statement: String) async throws
    -> [String]
  {
    let reader = engine.database.connect(as: role, poolSize: 1)
    let rows = try await reader.rows(
      """
      select array_to_string(array(select v from json_each_text(to_json(q)) with ordinality x (k, v, n) order by n), '|')
      from (\(SQL(trusted: statement))) q
      """,
      String.self
    )
    await reader.close()
    return rows
  }

  /// A company at the edge of the day, with work in several months, some of it deleted or planned.
  private static func filled() async throws -> Workshop {
    let shop = try await Workshop.open(timeZone: "Pacific/Auckland", roles: ["user"])
    let second = try await shop.records.create(
      shop.operatorContext,
      type: "maintenance.machine",
      fields: ["code": "RM-002", "name": "Second"]
    ).id
    let lines: [(String, String?, String, String, Int)] = [
      ("2026-01-31", "120.50", "RM-001", "completed", 0), ("2026-02-01", "-20.25", "RM-001", "completed", 90),
      ("2026-02-28", nil, "RM-002", "completed", 15), ("2026-03-01", "7", "RM-002", "in_progress", 0),
      ("2025-12-31", "3.10", "RM-001", "pending", 0), ("2026-03-02", "999", "RM-001", "deleted", 0),
    ]
    for (index, line) in lines.enumerated() {
      var fields: JSONObject = [
        "reported_on": .string(line.0), "estimated_hours": .integer(Int64(index)), "due_on": "2026-03-05",
        "machine_id": .id(line.2 == "RM-001" ? shop.machine : second),
        "category_id": .id(line.2 == "RM-001" ? shop.category : try await category(of: second, shop)),
      ]
      if let cost = line.1 { fields["actual_cost"] = .string(cost) }
      let entry = try await shop.entry("owner", fields)
      _ = try await shop.records.create(
        shop.acting("owner"),
        type: "maintenance.time_entry",
        fields: [
          "entry_id": .id(entry), "user_name": index % 2 == 0 ? "Berit" : "Åke", "work_date": .string(line.0),
          "start_time": "08:00", "end_time": .string("09:\(10 + index)"),
        ]
      )
      if line.3 == "deleted" {
        _ = try await shop.records.delete(shop.acting("owner"), type: "maintenance.entry", id: entry)
      } else if line.3 != "pending" {
        try await shop.take("start", entry, as: "owner")
        if line.3 == "completed" { try await finish(entry, minutes: line.4, shop) }
      }
    }
    return shop
  }

  private static func category(of machine: UUID, _ shop: Workshop) async throws -> UUID {
    let name: JSONValue = .string("Category \(UUID().uuidString)")
    return try await shop.records.create(
      shop.operatorContext,
      type: "maintenance.category",
      fields: ["name": name, "machine_id": .id(machine)]
    ).id
  }

  /// Completes an entry, and moves its start into the past.
  private static func finish(_ entry: UUID, minutes: Int, _ shop: Workshop) async throws {
    try await shop.take("complete", entry, as: "owner")
    var options = TransactionOptions()
    options.settings = [.text("fettle.write", "engine")]
    try await shop.engine.superuser.transaction(options) { tx in
      try tx.execute(
        "update maintenance.entry set started_at = completed_at - make_interval(mins => \(Int32(minutes))) where id = \(entry)"
      )
    }
  }
}
