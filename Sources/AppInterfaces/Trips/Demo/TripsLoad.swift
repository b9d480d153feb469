internal import Apps
internal import Demo
internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Postgres
internal import Store

/// Writes one member's share of the trips data.
struct TripsLoad {
  let context: DemoContext
  let owner: DemoTenant.Member
  let place: Int
  let counts: TripsMemberShare

  /// - Returns: the number of new records.
  func run() throws -> Int {
    let talks = try conversations()
    return try talks + plans()
  }

  private func id(_ type: String, _ index: Int) -> UUID {
    context.ids.id(type, "\(context.tenant.index)/\(place)/\(index)")
  }

  private func conversations() throws -> Int {
    guard counts.conversations > 0 else { return 0 }
    var random = DemoRandom(context.series, "talks", context.tenant.index * 1_000 + place)
    let lengths = DemoShares.deal(
      counts.messages,
      (0..<counts.conversations).map { _ in 0.3 + random.unit() }
    )
    let talks = (0..<counts.conversations).map { index in
      Seed(
        id: id("trips.conversation", index),
        createdAt: context.moment(context.day(index % 300 + 1)),
        maker: owner.id,
        status: random.chance(0.2) ? "archived" : "open",
        cells: ["Photos in \(random.pick(TripsWords.destinations))"]
      )
    }
    var messages: [Seed] = []
    for (index, length) in lengths.enumerated() {
      for seq in 1...max(1, length) where length > 0 {
        // One message in a hundred has almost the maximum length.
        let size = random.chance(0.01) ? 60_000 : Int(20 * pow(200, random.unit()))
        messages.append(
          Seed(
            id: id("trips.message", messages.count),
            createdAt: context.moment(context.day(index % 300 + 1), minute: 9 * 60 + seq),
            maker: owner.id,
            cells: [
              id("trips.conversation", index).text, "\(seq)", seq % 2 == 1 ? "user" : "assistant",
              DemoWords.text(&random, characters: size),
            ]
          )
        )
      }
    }
    let inserted = try context.ledger.write("trips.conversation", ["title"], talks)
    let columns = ["conversation_id", "seq", "author", "content"]
    return try inserted + context.ledger.write("trips.message", columns, messages)
  }

  private func plans() throws -> Int {
    guard counts.plans > 0 else { return 0 }
    var random = DemoRandom(context.series, "plans", context.tenant.index * 1_000 + place)
    let lengths = DemoShares.deal(counts.stops, (0..<counts.plans).map { _ in 0.4 + random.unit() })
    let plans = (0..<counts.plans).map { index in
      let starts = context.today.adding(days: random.int(-300...60))
      let days = random.int(2...9)
      let ends = starts.adding(days: days - 1)
      let status = ends < context.today ? "completed" : starts <= context.today ? "active" : "draft"
      let place = random.pick(TripsWords.destinations)
      let talk = index < counts.conversations ? id("trips.conversation", index).text : nil
      return Seed(
        id: id("trips.plan", index),
        createdAt: context.moment(min(context.today, starts.adding(days: -30))),
        maker: owner.id,
        status: status,
        cells: [
          talk, "\(days) days in \(place)", place, "\(random.int(-50...60)).5",
          "\(random.int(-120...140)).25",
          starts.description, ends.description, "Light, and where to wait for it.",
        ]
      )
    }
    var stops: [Seed] = []
    for (index, length) in lengths.enumerated() {
      for number in 0..<length {
        stops.append(
          Seed(
            id: id("trips.stop", stops.count),
            createdAt: context.moment(context.day(1)),
            maker: owner.id,
            cells: [
              id("trips.plan", index).text, "\(number / 4 + 1)", "\(number % 4)",
              "\(random.pick(TripsWords.sights)) \(number + 1)", "\(random.int(-50...60)).5",
              "\(random.int(-120...140)).25",
              random.pick(["sunrise", "golden_am", "day", "golden_pm", "blue_hour", "night"]),
            ]
          )
        )
      }
    }
    let inserted = try context.ledger.write(
      "trips.plan",
      ["conversation_id", "title", "destination", "lat", "lon", "starts_on", "ends_on", "summary"],
      plans
    )
    let columns = ["plan_id", "day_no", "position", "name", "lat", "lon", "best_light"]
    return try inserted + context.ledger.write("trips.stop", columns, stops)
  }
}
