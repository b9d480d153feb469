internal import Apps
internal import Demo
internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// One company's solar sites, each with samples of an inverter and a meter, and with recordings.
struct SolarShare: DemoShare {
  var sites = 0
  var recordings = 0
  /// Days of samples.
  let days: Int
  /// Seconds between samples.
  let seconds: Int

  var companyRows: Int { sites + recordings + sites * (days * 86_400 / seconds) }

  func load(_ context: DemoContext) throws -> DemoCount {
    guard sites > 0 else { return DemoCount() }
    return try SolarLoad(share: self, context: context).run()
  }
}

/// Writes one company's share of the solar data.
private struct SolarLoad {
  let share: SolarShare
  let context: DemoContext

  private var tenant: DemoTenant { context.tenant }
  private var days: Int { share.days }
  private var seconds: Int { share.seconds }

  func run() throws -> DemoCount {
    var random = context.random("solar")
    let capacity = Double(random.int(40...200)) / 10
    let site = context.id("solar.site", 0)
    let sites = try context.ledger.write(
      "solar.site",
      ["name", "timezone", "capacity_kw", "source_kind", "poll_seconds"],
      [
        Seed(
          id: site,
          createdAt: context.moment(context.day(days + 30)),
          maker: tenant.members.first?.id,
          cells: ["Roof", tenant.timeZone, "\(capacity)", "push", "\(seconds)"]
        )
      ]
    )
    let from = context.moment(context.day(days), minute: 0)
    let samples = try SolarCurve.samples(
      of: site,
      company: tenant.id,
      capacity: capacity,
      zone: tenant.timeZone,
      from: from,
      to: context.moment(context.today, minute: 0),
      seconds: seconds,
      isWhole: false,
      context.tx
    )
    let readings = try recordings(site, capacity, &random)
    return DemoCount(records: sites + readings, samples: samples)
  }

  private func recordings(_ site: UUID, _ capacity: Double, _ random: inout DemoRandom) throws -> Int {
    let columns = [
      "site_id", "type", "quantity", "unit", "value", "taken_at", "push_attempts", "pushed_at", "utility_ref",
      "last_error",
    ]
    let step = days * 24 * 60 / max(1, share.recordings)
    let recordings = (0..<share.recordings).map { index in
      let minute = index * max(1, step)
      let taken = context.moment(context.today, minute: -minute - 1)
      let type = random.pick([("auto", 0.5), ("auto_push", 0.3), ("manual", 0.2)] as [(String, Double)])
      let attempts =
        type == "auto_push" ? random.pick([(1, 0.92), (2, 0.06), (3, 0.02)] as [(Int, Double)]) : 0
      let isFailed = attempts == 3
      let isPushed = attempts > 0 && !isFailed
      let status = type != "auto_push" ? "uploaded" : isFailed ? "push_failed" : "pushed"
      let later = Instant(microseconds: taken.microseconds + 5_000_000)
      return Seed(
        id: context.id("solar.recording", index),
        createdAt: taken,
        maker: random.pick(tenant.active).id,
        status: status,
        cells: [
          site.text, type, "power", "kW", "\((random.unit() * capacity * 1000).rounded() / 1000)",
          taken.description, "\(attempts)", isPushed ? later.description : nil,
          isPushed ? "REF-\(tenant.index + 1)-\(index + 1)" : nil, isFailed ? "500 from the utility" : nil,
        ]
      )
    }
    return try context.ledger.write("solar.recording", columns, recordings)
  }
}
