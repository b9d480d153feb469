import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store

/// A solar site in a company of its own, with queries for its tests.
struct Roof: Sendable {
  let shop: Workshop
  let site: UUID

  var samples: Samples { Samples(shop.engine.services) }
  var energy: Energy { Energy(shop.engine.services) }

  /// Creates a site in a time zone; its company has an owner, an admin, a user, a viewer and a service
  /// account.
  static func open(zone: String = "UTC", capacity: String? = nil) async throws -> Roof {
    let shop = try await Workshop.open(roles: ["admin", "user", "viewer", "service"])
    var fields: JSONObject = ["name": "Roof", "timezone": .string(zone)]
    if let capacity { fields["capacity_kw"] = .string(capacity) }
    let site = try await shop.records.create(shop.acting("admin"), type: "solar.site", fields: fields)
    return Roof(shop: shop, site: site.id)
  }

  /// Gives the site an account with a utility, which readings to be pushed need.
  func connect() async throws {
    _ = try await shop.records.create(
      shop.acting("admin"),
      type: "solar.utility_account",
      fields: ["site_id": .id(site), "endpoint": "https://grid.example/in"]
    )
  }

  /// Writes meter readings, `(time, kWh)`, as a gateway would.
  @discardableResult
  func measure(_ readings: [(String, String)]) async throws -> SampleOutcome {
    try await samples.add(
      shop.acting("service"),
      site: site,
      readings.map { time, kwh in
        try SolarSample(
          takenAt: Instant(parsing: time),
          inverterKW: ExactDecimal(parsing: "1.5"),
          meterKWh: ExactDecimal(parsing: kwh)
        )
      }
    )
  }

  /// Inserts a sample of the given age in seconds.
  func sample(secondsAgo: Int64, kw: String?, kwh: String? = nil) async throws {
    let now = try await shop.engine.superuser.value("select now()", as: Instant.self)
    let moment = Instant(microseconds: now.microseconds - secondsAgo * 1_000_000)
    let sample = try SolarSample(
      takenAt: moment,
      inverterKW: try kw.map { text in try ExactDecimal(parsing: text) },
      meterKWh: try kwh.map { text in try ExactDecimal(parsing: text) }
    )
    _ = try await samples.add(shop.acting("service"), site: site, [sample])
  }

  /// The days as `date: kWh`.
  func days(_ from: String, _ to: String, spread: Bool = false) async throws -> [String: String] {
    let days = try await energy.daily(
      shop.acting("viewer"),
      site: site,
      from: LocalDate(parsing: from),
      through: LocalDate(parsing: to),
      spread: spread
    )
    return Dictionary(days.map { ($0.date.description, $0.kwh ?? "") }) { first, _ in first }
  }

  /// The same days from the view, which computes over all samples.
  func viewed() async throws -> [String: String] {
    let rows = try await shop.engine.superuser.rows(
      """
      select d.local_date::text, coalesce(round(d.kwh, 3)::text, '') from solar.v_daily d
      where d.company_id = \(shop.company.id) and d.site_id = \(site)
      """,
      String.self,
      String.self
    )
    return Dictionary(rows) { first, _ in first }
  }

  /// Records a reading.
  @discardableResult
  func record(_ fields: JSONObject, as name: String = "user") async throws -> UUID {
    var complete = fields
    complete["site_id"] = .id(site)
    return try await shop.records.create(shop.acting(name), type: "solar.recording", fields: complete).id
  }
}
