internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordRule {
  /// Rounds the amounts of an entry to 0.1 g. Requires a non-zero amount, and a day within one day of the
  /// time of the meal.
  ///
  /// The time defaults to now, the day to the local day of that time.
  static let macroEntry = RecordRule(
    dependsOn: ["macros.profile"],
    fills: ["eaten_at", "local_date"],
    normalise: { try MacroAmounts.rounding($0) }
  ) {
    fields,
    acting,
    pipeline in
    let eaten = try fields["eaten_at"]?.string.map { try Instant(parsing: $0) }
    let day = pipeline.rows(
      LocalDay.query(
        at: eaten,
        company: acting.company.id,
        person: acting.user
      ),
      LocalDate.self
    )
    return { access in
      guard try !MacroAmounts(fields).isEmpty else {
        throw DomainError(
          .invalidInput,
          "an entry needs protein, carbs or fat",
          hint: "give one of protein_g, carbs_g, fat_g"
        )
      }
      let eaten = eaten ?? access.now
      if let text = fields["local_date"]?.string {
        try LocalDay.require(try LocalDate(parsing: text), near: eaten)
      }
      var computed: JSONObject = [:]
      if fields["eaten_at"]?.string == nil { computed["eaten_at"] = .string(access.now.description) }
      if fields["local_date"]?.string == nil, let day = try day.first {
        computed["local_date"] = .string(day.description)
      }
      return computed
    }
  }

  /// Rounds the amounts of a goal to 0.1 g; they may be zero. Requires a known day type. A goal without a
  /// start applies from today.
  static let macroGoal = RecordRule(
    dependsOn: ["macros.profile"],
    fills: ["effective_from"],
    normalise: { try MacroAmounts.rounding($0) }
  ) {
    fields,
    acting,
    pipeline in
    _ = try fields["effective_from"]?.string.map { try LocalDate(parsing: $0) }
    try DayType.require(fields["day_type"])
    let today = pipeline.rows(
      LocalDay.query(at: nil, company: acting.company.id, person: acting.user),
      LocalDate.self
    )
    return { _ in
      guard fields["effective_from"]?.string == nil, let today = try today.first else { return [:] }
      return ["effective_from": .string(today.description)]
    }
  }

  /// Rounds the amounts of a preset to 0.1 g. Requires a non-zero amount, as in an entry.
  static let macroPreset = RecordRule(normalise: { try MacroAmounts.rounding($0) }) { fields, _, _ in
    { _ in
      guard try !MacroAmounts(fields).isEmpty else {
        throw DomainError(
          .invalidInput,
          "a preset needs protein, carbs or fat",
          hint: "give one of protein_g, carbs_g, fat_g"
        )
      }
      return [:]
    }
  }

  /// Requires a known day type. The table checks the weekday.
  static let carbCycle = RecordRule { fields, _, _ in
    try DayType.require(fields["day_type"])
    return { _ in [:] }
  }

  /// Requires a time zone known to PostgreSQL, which computes the day of a meal.
  static let macroProfile = RecordRule(normalise: { $0.withCanonicalZone() }) { fields, _, pipeline in
    guard let zone = fields["timezone"]?.string else { return { _ in [:] } }
    let known = pipeline.rows(TimeZoneCheck.query(zone), String.self)
    return { _ in
      _ = try TimeZoneCheck.accepted(zone, among: known.all)
      return [:]
    }
  }
}
