import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// Reports of the solar app.
@Suite(.timeLimit(.minutes(60))) struct SolarReportTests {
  @Test func `solar days and failed pushes`() async throws {
    let shop = try await Workshop.open()
    let company = shop.company.id
    let site = try await shop.records.create(
      shop.acting("owner"),
      type: "solar.site",
      fields: ["name": "Roof", "timezone": "Europe/Stockholm"]
    ).id
    try await shop.engine.superuser.execute(
      """
      insert into solar.sample (company_id, site_id, taken_at, inverter_kw, meter_kwh)
      values (\(company), \(site), '2026-06-01 10:00Z', 2.5, 100), (\(company), \(site), '2026-06-01 14:00Z', 4, 108.5),
             (\(company), \(site), '2026-06-01 22:30Z', 0, 109), (\(company), \(site), '2026-06-02 10:00Z', 3, 111)
      """
    )
    #expect(
      try await shop.report("v1_solar_day", "site, local_date, kwh, peak_kw, samples, longest_gap_hours") == [
        "Roof|2026-06-01|8.500|4.000|2|4.00", "Roof|2026-06-02|2.500|3.000|2|11.50",
      ]
    )
    var options = TransactionOptions()
    options.settings = [.text("fettle.write", "import")]
    try await shop.engine.superuser.transaction(options) { tx in
      for (value, status, category) in [("1.5", "push_failed", "open"), ("2.5", "pushed", "done")] {
        try tx.execute(
          """
          insert into solar.recording
            (company_id, id, site_id, type, value, taken_at, push_attempts, last_error, status, status_category)
          values (\(company), gen_random_uuid(), \(site), 'auto_push', \(value)::text::numeric,
                  '2026-06-01 10:00Z'::timestamptz + make_interval(secs => \(value)::text::float8), 3, 'HTTP 503',
                  \(status), \(category))
          """
        )
      }
    }
    #expect(
      try await shop.report("v1_failed_push", "site, quantity, value, unit, attempts, error") == [
        "Roof|power|1.500|kW|3|HTTP 503"
      ]
    )
  }
}
