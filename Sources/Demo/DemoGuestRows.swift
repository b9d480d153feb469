internal import Domain
internal import FoundationEssentials

/// The rows that a guest of the demo company finds, as they are on a day.
struct DemoGuestRows {
  /// One record.
  struct Row {
    let type: String
    let id: UUID
    var status: String?
    let fields: [(String, String?)]
    /// The columns that are told relative to today.
    var moving: [String] = []
    let isPrivate: Bool

    var moves: Bool { !moving.isEmpty }

    /// The moving columns whose day is not today's any more.
    func changes(from found: JSONObject) -> JSONObject {
      let wanted = fields.filter { moving.contains($0.0) }
      let isOld = wanted.contains { name, value in
        found[name]?.string.map { String($0.prefix(10)) } != value.map { String($0.prefix(10)) }
      }
      guard isOld else { return [:] }
      return JSONObject(wanted.map { ($0.0, JSONValue.optional($0.1)) })
    }
  }

  /// The records of one type, which have the same columns.
  struct Group {
    let type: String
    let rows: [Row]

    var columns: [String] { rows.first?.fields.map(\.0) ?? [] }
    var isPrivate: Bool { rows.first?.isPrivate ?? false }
  }

  let series: DemoSeries
  let company: UUID
  let zone: String
  let today: LocalDate

  /// The roof.
  var site: UUID { id("solar.site", 0) }

  /// By type, parents before children.
  var groups: [Group] {
    [
      Group(type: "inventory.item", rows: items), Group(type: "solar.site", rows: [roof]),
      Group(type: "macros.profile", rows: [profile]), Group(type: "macros.goal", rows: [goal]),
      Group(type: "macros.preset", rows: presets), Group(type: "macros.entry", rows: meals),
      Group(type: "trips.plan", rows: [plan]), Group(type: "trips.stop", rows: stops),
    ]
  }

  var all: [Row] { groups.flatMap(\.rows) }

  private func id(_ type: String, _ index: Int) -> UUID {
    DemoIDs(series: series).id(type, "\(company.text)/\(index)")
  }

  /// Twelve things; the first one's warranty ends in twelve days, the second's has ended.
  private var items: [Row] {
    let things = [
      ("Espresso machine", "Kitchen", 24, 12), ("Laptop", "Electronics", 24, -40),
      ("Washing machine", "Appliances", 60, 900),
      ("Drill", "Tools", 24, 300), ("Sofa", "Furniture", 0, 0), ("Lawn mower", "Garden", 36, 500),
      ("Camera", "Electronics", 24, 200), ("Bicycle", "Sport", 12, 90),
      ("Television", "Electronics", 36, 700),
      ("Tent", "Sport", 0, 0), ("Vacuum cleaner", "Appliances", 24, 410), ("Toaster", "Kitchen", 12, -200),
    ]
    return things.enumerated().map { index, thing in
      let (name, category, months, daysLeft) = thing
      let last = months > 0 ? today.adding(days: daysLeft) : today.adding(days: -500)
      let bought = (try? last.adding(months: -months)) ?? last
      return Row(
        type: "inventory.item",
        id: id("inventory.item", index),
        fields: [
          ("name", name), ("category", category), ("purchase_date", bought.description),
          ("warranty_months", "\(months)"), ("purchase_price", "\(49 + index * 120).00"), ("currency", "EUR"),
          ("tags", index % 3 == 0 ? "{gift}" : "{}"), ("location", DemoWords.locations[index % 6]),
          ("is_favorite", index < 2 ? "true" : "false"),
        ],
        moving: ["purchase_date"],
        isPrivate: false
      )
    }
  }

  private var roof: Row {
    Row(
      type: "solar.site",
      id: site,
      fields: [
        ("name", "Workshop roof"), ("timezone", zone), ("capacity_kw", "9.6"), ("source_kind", "push"),
        ("poll_seconds", "300"),
      ],
      isPrivate: false
    )
  }

  private var profile: Row {
    Row(
      type: "macros.profile",
      id: id("macros.profile", 0),
      fields: [("display_name", "Guest"), ("timezone", zone)],
      isPrivate: true
    )
  }

  private var goal: Row {
    Row(
      type: "macros.goal",
      id: id("macros.goal", 0),
      fields: [("protein_g", "120"), ("carbs_g", "220"), ("fat_g", "70"), ("effective_from", "2020-01-01")],
      isPrivate: true
    )
  }

  private var presets: [Row] {
    [("Porridge", "12", "60", "8"), ("Chicken and rice", "42", "55", "12"), ("Shake", "30", "8", "3")]
      .enumerated().map {
        Row(
          type: "macros.preset",
          id: id("macros.preset", $0),
          fields: [
            ("name", $1.0), ("protein_g", $1.1), ("carbs_g", $1.2), ("fat_g", $1.3), ("position", "\($0)"),
          ],
          isPrivate: true
        )
      }
  }

  /// Three meals of today, four of each of the seven days before.
  private var meals: [Row] {
    (0...7).flatMap { ago in
      (0..<(ago == 0 ? 3 : 4)).map { meal in
        let day = today.adding(days: -ago)
        return Row(
          type: "macros.entry",
          id: id("macros.entry", ago * 10 + meal),
          fields: [
            ("protein_g", "\(24 + 6 * meal).\(ago)"), ("carbs_g", "\(50 - 7 * meal).5"),
            ("fat_g", "\(10 + 3 * meal)"),
            ("eaten_at", "\(day)T\(10 + 2 * meal):00:00Z"), ("local_date", day.description),
            ("note", DemoWords.meals[(ago + meal) % DemoWords.meals.count]),
          ],
          moving: ["eaten_at", "local_date"],
          isPrivate: true
        )
      }
    }
  }

  private var plan: Row {
    Row(
      type: "trips.plan",
      id: id("trips.plan", 0),
      status: "active",
      fields: [
        ("title", "Five days in Lofoten"), ("destination", "Lofoten"), ("lat", "68.209"), ("lon", "13.609"),
        ("starts_on", today.adding(days: -1).description), ("ends_on", today.adding(days: 3).description),
        ("summary", "Low sun over the fjords; wait for the blue hour in Reine."),
      ],
      moving: ["starts_on", "ends_on"],
      isPrivate: true
    )
  }

  private var stops: [Row] {
    let places = [
      ("Reine harbour", "blue_hour"), ("Reinebringen", "sunrise"), ("Haukland beach", "golden_pm"),
      ("Henningsvær", "day"), ("Gimsøya church", "golden_am"),
    ]
    return places.enumerated().map { index, place in
      Row(
        type: "trips.stop",
        id: id("trips.stop", index),
        fields: [
          ("plan_id", id("trips.plan", 0).text), ("day_no", "\(index + 1)"), ("position", "0"),
          ("name", place.0),
          ("best_light", place.1),
        ],
        isPrivate: true
      )
    }
  }
}
