internal import Apps
internal import Demo
internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Generated working hours of one person.
struct DemoTime {
  static let columns = [
    "entry_id", "user_id", "user_name", "work_date", "start_time", "end_time", "has_lunch",
  ]

  /// Returns the expressions that convert the times from the company's time zone. PostgreSQL computes them.
  static func computed(zone: String) -> [(column: String, expression: SQL)] {
    [
      ("started_at", "(x.work_date::date + x.start_time::time) at time zone \(zone)"),
      (
        "ended_at",
        """
        (x.work_date::date + case when x.end_time::time < x.start_time::time then 1 else 0 end + x.end_time::time)
          at time zone \(zone)
        """
      ),
    ]
  }

  let seed: Seed

  /// The shifts that people have worked already, so that no hours of a person overlap.
  struct Roster {
    private var taken: Set<String> = []

    init() {}

    /// Returns the day, or the next one before it, on which a person has not worked this shift.
    mutating func place(_ person: String, near day: LocalDate, isNight: Bool) -> LocalDate {
      var day = day
      while !taken.insert("\(person) \(day) \(isNight)").inserted { day = day.adding(days: -1) }
      return day
    }
  }

  init(
    _ context: DemoContext,
    _ index: Int,
    of entry: DemoEntry,
    _ roster: inout Roster,
    _ random: inout DemoRandom
  ) {
    let worker = random.pick(context.tenant.active)
    let isGuest = random.chance(0.07)
    let isOnChange = random.chance(0.005)
    let isNight = isOnChange || random.chance(0.06)
    let wanted = isOnChange ? Self.lastChange(before: context.today) : entry.startedOn
    // Work is over when it is logged, a night shift on the next morning.
    let past = min(wanted, context.today.adding(days: isNight ? -2 : -1))
    let guest = "\(DemoWords.person(context.series, 1_000_000 + index)) (hired)"
    let day = roster.place(isGuest ? guest : worker.id.text, near: past, isNight: isNight)
    let start = isNight ? 22 * 60 : 6 * 60 + random.int(0...12) * 15
    let length = isNight ? 8 * 60 : 30 + random.int(0...30) * 15
    seed = Seed(
      id: context.id("maintenance.time_entry", index),
      createdAt: context.moment(day, minute: 17 * 60),
      maker: worker.id,
      cells: [
        entry.seed.id.text, isGuest ? nil : worker.id.text, isGuest ? guest : worker.name, day.description,
        Self.clock(start), Self.clock(start + length), random.chance(0.62) ? "true" : "false",
      ]
    )
  }

  /// Returns the Saturday before the last clock change in Europe, which is on the last Sunday of March or
  /// October.
  private static func lastChange(before today: LocalDate) -> LocalDate {
    var day = today.adding(days: -1)
    while true {
      let isSunday = (day.daysSince1970 + 3) % 7 == 6
      if isSunday, [3, 10].contains(day.month), day.day > 24 { return day.adding(days: -1) }
      day = day.adding(days: -1)
    }
  }

  private static func clock(_ minute: Int) -> String {
    let (hour, rest) = (minute / 60 % 24, minute % 60)
    return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
  }
}
