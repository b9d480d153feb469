import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// The exact output of the maintenance reports on fixed data.
@Suite(.timeLimit(.minutes(60))) struct MaintenanceReportTests {
  @Test func `the backlog per machine, by age`() async throws {
    let shop = try await filled()
    try await age(shop)
    #expect(
      try await rows(
        shop,
        "v1_backlog",
        """
        machine, machine_name, open_entries, in_progress_entries, up_to_7_days, days_8_to_30, days_31_to_90,
        over_90_days, oldest_days, estimated_hours
        """
      ) == ["RM-002|Two|0|1|0|0|0|1|91|1.50", "RM-003|Three|3|0|2|1|0|0|8|10.00"]
    )
  }

  /// Gives open entries ages around the limits of the report, and deletes one.
  private func age(_ shop: Workshop) async throws {
    let company = shop.company.id
    var options = TransactionOptions()
    options.settings = [.text("fettle.write", "engine")]
    try await shop.engine.superuser.transaction(options) { tx in
      for (text, days) in [("four", 91), ("five", 7)] as [(String, Int32)] {
        try tx.execute(
          """
          update maintenance.entry
          set reported_on = (now() at time zone 'Europe/Stockholm')::date - \(days)
          where company_id = \(company) and description = \(text)
          """
        )
      }
    }
    let machine = try await shop.records.resolve(shop.acting("owner"), type: "maintenance.machine", "RM-003")
    for (days, hours, isDeleted) in [(0, 3, false), (8, 5, false), (31, 100, true)] as [(Int32, Int64, Bool)]
    {
      let day = try await shop.engine.superuser.value(
        "select ((now() at time zone 'Europe/Stockholm')::date - \(days))::text",
        as: String.self
      )
      let entry = try await shop.entry(
        "user",
        ["machine_id": .id(machine), "reported_on": .string(day), "estimated_hours": .integer(hours)]
      )
      guard isDeleted else { continue }
      _ = try await shop.records.delete(shop.acting("owner"), type: "maintenance.entry", id: entry)
    }
  }

  @Test func `cost, entries and hours per machine and year`() async throws {
    let shop = try await filled()
    let company = shop.company.id
    var options = TransactionOptions()
    options.settings = [.text("fettle.write", "engine")]
    try await shop.engine.superuser.transaction(options) { tx in
      for (text, cost) in [("one", "100.00"), ("two", "-25.50"), ("four", "10.25")] {
        try tx.execute(
          """
          update maintenance.entry set actual_cost = \(cost)::text::numeric
          where company_id = \(company) and description = \(text)
          """
        )
      }
      try tx.execute(
        """
        update maintenance.entry set actual_cost = 999, deleted_at = now()
        where company_id = \(company) and description = 'five'
        """
      )
    }
    #expect(
      try await rows(
        shop,
        "v1_machine_cost_by_year",
        "machine, machine_name, year, entries, cost, average_cost, hours"
      ) == [
        "RM-002|Two|2020|1|100.00|100.00|7.25", "RM-002|Two|2021|2|-15.25|-7.63|3.00",
        "RM-003|Three|2021|1|0|" + "|8.00",
      ]
    )
  }

  @Test func `hours per machine, person and month`() async throws {
    let shop = try await filled()
    #expect(
      try await rows(shop, "v1_hours", "month, machine, person, time_entries, entries, hours") == [
        "2020-12-01|RM-002|Berit|1|1|2.00", "2021-01-01|RM-002|Berit|1|1|3.00",
        "2021-01-01|RM-002|Åke|1|1|5.25",
        "2021-02-01|RM-003|Åke|1|1|8.00",
      ]
    )
  }

  @Test func `lead times of work until start and completion`() async throws {
    let shop = try await filled()
    // Completed at 23:30 UTC on the 31st, which is February in the company's time zone.
    #expect(
      try await rows(
        shop,
        "v1_lead_times",
        "month, entries, median_hours_to_start, p90_hours_to_start, median_hours_to_complete, p90_hours_to_complete"
      ) == ["2021-01-01|2|18.00|22.80|36.00|45.60", "2021-02-01|1|1.50|1.50|11.50|11.50"]
    )
  }

  @Test func `estimated against actual hours`() async throws {
    let shop = try await filled()
    #expect(
      try await rows(
        shop,
        "v1_estimates",
        "machine, year, entries, estimated_hours, actual_hours, difference, ratio"
      ) == [
        "RM-002|2020|1|4.00|7.25|3.25|1.81", "RM-002|2021|1|0.00|3.00|3.00|",
        "RM-003|2021|1|10.00|8.00|-2.00|0.80",
      ]
    )
  }

  @Test func `downtime per reason, from what history says`() async throws {
    let shop = try await filled()
    let records = shop.records
    func take(_ transition: String, _ comment: String?) async throws {
      _ = try await records.transition(
        shop.operatorContext,
        type: "maintenance.machine",
        id: shop.machine,
        request: TransitionRequest(transition, comment: comment)
      )
    }
    for (reason, hours) in [("Engine is out", 6), ("No driver", 2), ("Engine is out", 1)] as [(String, Int32)]
    {
      try await take("take_out", reason)
      try await take("return", nil)
      // Moves the events into the past, with the given duration.
      try await shop.engine.superuser.execute(
        """
        update core.history h
        set occurred_at = case when h.to_status = 'active' then x.back else x.back - make_interval(hours => \(hours)) end
        from (select now() - interval '10 days' + make_interval(mins => (
                select count(*)::int from core.history c where c.record_id = \(shop.machine))) as back) x
        where h.record_id = \(shop.machine) and h.seq > (
          select max(m.seq) - 2 from core.history m where m.record_id = \(shop.machine))
        """
      )
    }
    #expect(
      try await rows(shop, "v1_downtime", "machine, reason, spells, hours_down, is_down") == [
        "RM-001|Engine is out|2|7.00|false", "RM-001|No driver|1|2.00|false",
      ]
    )
    try await take("take_out", "Accident")
    #expect(try await rows(shop, "v1_downtime", "reason, is_down").contains("Accident|true"))
  }

  @Test func `overdue entries, and a company in one row`() async throws {
    let shop = try await filled()
    #expect(
      try await rows(
        shop,
        "v1_overdue",
        "machine, entry, status, priority, days_overdue, is_assigned, is_planned"
      ) == ["RM-002|WO-4|in_progress|1|3|false|false"]
    )
    #expect(
      try await rows(
        shop,
        "v1_maintenance_company",
        """
        machines, out_of_service, pending, in_progress, completed, completed_30_days, overdue, open_estimated_hours,
        hours_30_days, cost_365_days, active_plans, active_members
        """
      ) == ["3|0|1|1|3|0|1|3.50|0|0|0|2"]
    )
  }

  @Test func `the reporting login reads no other company's lines inside one`() async throws {
    let (one, other) = (try await filled(), try await filled())
    let company = one.company.id
    let seen = try await one.engine.services.database.transaction(.inside(company, readOnly: true)) { tx in
      try tx.rows("select distinct v.company_id from report.v1_hours v", UUID.self)
    }
    #expect(seen == [company] && other.company.id != company)
  }

  /// The rows of a report as text, sorted.
  private func rows(_ shop: Workshop, _ view: String, _ columns: String) async throws -> [String] {
    let reader = shop.engine.database.connect(as: "fettle_report", poolSize: 1)
    let rows = try await reader.rows(
      """
      select array_to_string(array[\(SQL(trusted: columns.split(separator: ",").map { "(\($0))::text" }
        .joined(separator: ", ")))], '|', '')
      from report.\(identifier: view) v
      where v.company_id = \(shop.company.id)
      order by 1
      """,
      String.self
    )
    await reader.close()
    return rows
  }

  private func filled() async throws -> Workshop {
    let shop = try await Workshop.open(timeZone: "Europe/Stockholm", roles: ["user"])
    let company = shop.company.id.uuidString
    let category = shop.category.uuidString
    var options = TransactionOptions()
    options.settings = [.text("fettle.write", "import")]
    let text = Self.script.replacing("{c}", with: company).replacing("{k}", with: category)
      .replacing("{x}", with: String(company.prefix(8)))
    try await shop.engine.superuser.transaction(options) { tx in
      for statement in StatementSplitter.split(text) { try tx.execute(SQL(trusted: statement.text)) }
    }
    return shop
  }

  private static let script = """
    insert into maintenance.machine (company_id, id, code, name, status, status_category)
    values ('{c}', '{x}-0000-7000-8000-000000000002', 'RM-002', 'Two', 'active', 'active'),
           ('{c}', '{x}-0000-7000-8000-000000000003', 'RM-003', 'Three', 'active', 'active');
    insert into maintenance.entry
      (company_id, id, machine_id, category_id, description, reported_on, external_ref, estimated_hours, priority, due_on,
       status, status_category, created_at, started_at, completed_at)
    values
      ('{c}', '{x}-0000-7000-8000-000000000011', '{x}-0000-7000-8000-000000000002', '{k}', 'one', '2020-12-31', 'WO-1',
       4, 2, null, 'completed', 'done', '2021-01-01 00:00Z', '2021-01-02 00:00Z', '2021-01-03 00:00Z'),
      ('{c}', '{x}-0000-7000-8000-000000000012', '{x}-0000-7000-8000-000000000002', '{k}', 'two', '2021-01-10', 'WO-2',
       0, 2, null, 'completed', 'done', '2021-01-10 00:00Z', '2021-01-10 12:00Z', '2021-01-11 00:00Z'),
      ('{c}', '{x}-0000-7000-8000-000000000013', '{x}-0000-7000-8000-000000000003', '{k}', 'three', '2021-01-31', 'WO-3',
       10, 2, null, 'completed', 'done', '2021-01-31 12:00Z', '2021-01-31 13:30Z', '2021-01-31 23:30Z'),
      ('{c}', '{x}-0000-7000-8000-000000000014', '{x}-0000-7000-8000-000000000002', '{k}', 'four', '2021-01-01', 'WO-4',
       1.5, 1, (now() at time zone 'Europe/Stockholm')::date - 3, 'in_progress', 'active', '2021-01-01 00:00Z',
       '2021-01-02 00:00Z', null),
      ('{c}', '{x}-0000-7000-8000-000000000015', '{x}-0000-7000-8000-000000000003', '{k}', 'five', '2021-01-01', 'WO-5',
       2, 2, (now() at time zone 'Europe/Stockholm')::date, 'pending', 'open', '2021-01-01 00:00Z', null, null);
    insert into maintenance.machine (company_id, id, code, name, status, status_category, deleted_at)
    values ('{c}', '{x}-0000-7000-8000-000000000004', 'RM-004', 'Deleted', 'active', 'active', now());
    insert into maintenance.entry
      (company_id, id, machine_id, category_id, description, reported_on, external_ref, estimated_hours, priority, due_on,
       status, status_category, created_at, started_at, completed_at, deleted_at)
    values
      ('{c}', '{x}-0000-7000-8000-000000000016', '{x}-0000-7000-8000-000000000003', '{k}', 'deleted', '2021-01-01', 'WO-6',
       100, 1, (now() at time zone 'Europe/Stockholm')::date - 9, 'pending', 'open', '2021-01-01 00:00Z', null, null, now()),
      ('{c}', '{x}-0000-7000-8000-000000000017', '{x}-0000-7000-8000-000000000003', '{k}', 'deleted', '2021-01-01', 'WO-7',
       100, 1, null, 'completed', 'done', '2021-01-01 00:00Z', '2021-02-01 00:00Z', '2021-03-01 00:00Z', now()),
      ('{c}', '{x}-0000-7000-8000-000000000018', '{x}-0000-7000-8000-000000000003', '{k}', 'deleted', '2021-01-01', 'WO-8',
       100, 1, null, 'in_progress', 'active', '2021-01-01 00:00Z', '2021-02-01 00:00Z', null, now());
    insert into maintenance.time_entry
      (company_id, id, entry_id, user_name, work_date, start_time, end_time, started_at, ended_at, deleted_at)
    values
      ('{c}', '{x}-0000-7000-8000-000000000021', '{x}-0000-7000-8000-000000000011', 'Berit', '2020-12-31', '08:00',
       '10:00', '2020-12-31 07:00Z', '2020-12-31 09:00Z', null),
      ('{c}', '{x}-0000-7000-8000-000000000022', '{x}-0000-7000-8000-000000000011', 'Åke', '2021-01-02', '08:00',
       '13:15', '2021-01-02 07:00Z', '2021-01-02 12:15Z', null),
      ('{c}', '{x}-0000-7000-8000-000000000023', '{x}-0000-7000-8000-000000000012', 'Berit', '2021-01-10', '08:00',
       '11:00', '2021-01-10 07:00Z', '2021-01-10 10:00Z', null),
      ('{c}', '{x}-0000-7000-8000-000000000024', '{x}-0000-7000-8000-000000000013', 'Åke', '2021-02-01', '08:00',
       '16:00', '2021-02-01 07:00Z', '2021-02-01 15:00Z', null),
      ('{c}', '{x}-0000-7000-8000-000000000025', '{x}-0000-7000-8000-000000000013', 'Berit', '2021-02-02', '08:00',
       '16:00', '2021-02-02 07:00Z', '2021-02-02 15:00Z', now())
    """
}
