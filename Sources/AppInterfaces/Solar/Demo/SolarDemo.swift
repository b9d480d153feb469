internal import Apps
internal import Demo
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Demo data of the solar app.
struct SolarDemo: AppDemo {
  let app = "solar"

  /// Samples are one minute apart; at scale M, five minutes. Scale L has 16 days of samples, 11.5 million
  /// rows; a year would have 263 million.
  func shares(_ request: DemoLoad.Request, among companies: DemoSizes) -> [any DemoShare] {
    let total: (sites: Int, recordings: Int, days: Int, seconds: Int) =
      switch request.scale {
      case .S: (2, 40, 1, 60)
      case .M: (20, 8_000, 90, 300)
      case .L: (500, 1_000_000, 16, 60)
      }
    // The first companies get one site each.
    let sites = (0..<companies.count).map { $0 < total.sites ? 1 : 0 }
    let recordings = DemoShares.deal(total.recordings, along: sites)
    return zip(sites, recordings).map {
      SolarShare(
        sites: $0,
        recordings: $1,
        days: request.sampleDays ?? total.days,
        seconds: total.seconds
      )
    }
  }

  func rows(_ stage: DemoStage) -> [DemoRows] { [DemoRows("solar.site", [roof(stage)])] }

  /// Adds the samples of yesterday and of today up to now. Returns 0, since samples are not records.
  func refresh(_ stage: DemoStage) async throws -> Int {
    let day = stage.today.adding(days: -1)
    let company = stage.company
    try await stage.services.database.transaction(.inside(company.id, mode: .engine)) { tx in
      let moments = try tx.first(
        "select \(day)::timestamp at time zone \(company.timeZone), now()",
        Instant.self,
        Instant.self
      )
      guard let (from, now) = moments else { return }
      _ = try SolarCurve.samples(
        of: Self.site(stage),
        company: company.id,
        capacity: 9.6,
        zone: company.timeZone,
        from: from,
        to: now,
        seconds: 300,
        isWhole: true,
        tx
      )
    }
    return 0
  }

  private static func site(_ stage: DemoStage) -> UUID { stage.id("solar.site", 0) }

  private func roof(_ stage: DemoStage) -> DemoRow {
    DemoRow(
      id: Self.site(stage),
      fields: [
        ("name", "Workshop roof"), ("timezone", stage.company.timeZone), ("capacity_kw", "9.6"),
        ("source_kind", "push"),
        ("poll_seconds", "300"),
      ]
    )
  }
}
