internal import API
internal import Apps
internal import Domain
internal import Engine
internal import Postgres

/// The routes of days and ranges of meals, private to the caller.
struct MacroRoutes {
  /// The maximum number of days of a range: a leap year.
  private static let longestRange = 366

  private let macros: Macros

  init(_ services: Services, _ records: Records) {
    macros = Macros(services, records)
  }

  var routes: [Route] { [day, range] }

  private var day: Route {
    Route(
      .get,
      "/v1/macros/day/{date}",
      Operation(
        "macroDay",
        tag: "macros",
        "Show a day against its goal; `today` is the day in the caller's time zone",
        answers: [Operation.Answer(200, "The day", Self.schema)],
        errors: [.invalidDate]
      )
    ) { request in
      let acting = try request.acting()
      let text = try request.parameter("date")
      let date = text == "today" ? try await macros.today(acting) : try LocalDate(parsing: text)
      return .json(Self.json(try await macros.day(acting, date)))
    }
  }

  private var range: Route {
    Route(
      .get,
      "/v1/macros/range",
      Operation(
        "macroRange",
        tag: "macros",
        "Show all days of a range with their averages",
        parameters: [
          Operation.Parameter("from", "First day", .date, isRequired: true),
          Operation.Parameter("to", "Last day, at most 365 days later", .date, isRequired: true),
        ],
        answers: [
          Operation.Answer(
            200,
            "The days and their summary",
            .object([
              Schema.Member("items", .array(of: Self.schema)), Schema.Member("summary", Self.summarySchema),
            ])
          )
        ],
        errors: [.invalidDate]
      )
    ) { request in
      let query = StrictQuery(request)
      guard let first = query.text("from"), let last = query.text("to") else {
        throw DomainError(.missingFields, "from or to is missing", details: ["fields": ["from", "to"]])
      }
      let (from, to) = (try LocalDate(parsing: first), try LocalDate(parsing: last))
      guard to.daysSince1970 - from.daysSince1970 < Self.longestRange else {
        throw DomainError(.invalidInput, "a range has at most \(Self.longestRange) days")
      }
      let acting = try request.acting()
      let days = try await macros.range(acting, from: from, to: to)
      let summary = try await macros.summary(acting, from: from, to: to)
      return .json([
        "items": .array(days.map { .object(Self.json($0)) }),
        "summary": .object(Self.json(summary)),
      ])
    }
  }

  private static func json(_ day: MacroDay) -> JSONObject {
    var json: JSONObject = [
      "day": .string(day.day.description), "entries": .integer(day.entries),
      "day_type": day.dayType.map { .string($0) } ?? .null,
    ]
    for (name, figure) in [
      ("protein_g", day.protein), ("carbs_g", day.carbs), ("fat_g", day.fat), ("kcal", day.kcal),
    ] {
      json[name] = number(figure.amount)
      json["goal_\(name)"] = number(figure.goal)
      json["\(name)_percent"] = number(figure.percent)
    }
    return json
  }

  private static func json(_ period: MacroPeriod) -> JSONObject {
    [
      "days": .integer(period.days), "days_logged": .integer(period.daysLogged),
      "entries": .integer(period.entries), "protein_g": number(period.protein),
      "carbs_g": number(period.carbs), "fat_g": number(period.fat), "kcal": number(period.kcal),
      "average_protein_g": number(period.averageProtein),
      "average_carbs_g": number(period.averageCarbs),
      "average_fat_g": number(period.averageFat), "average_kcal": number(period.averageKcal),
    ]
  }

  /// Returns an exact number; null for none.
  private static func number(_ number: ExactDecimal?) -> JSONValue { number.map { .number($0) } ?? .null }

  private static let names = ["protein_g", "carbs_g", "fat_g", "kcal"]

  private static let schema = Schema.object(
    [
      Schema.Member("day", .date), Schema.Member("entries", .integer(minimum: 0)),
      Schema.Member("day_type", .nullable(.string)),
    ]
      + names.flatMap { name in
        [
          Schema.Member(name, .number), Schema.Member("goal_\(name)", .nullable(.number)),
          Schema.Member("\(name)_percent", .nullable(.number)),
        ]
      }
  )

  private static let summarySchema = Schema.object(
    ["days", "days_logged", "entries"].map { Schema.Member($0, .integer(minimum: 0)) }
      + names.map { Schema.Member($0, .number) }
      + names.map { Schema.Member("average_\($0)", .nullable(.number)) }
  )
}
