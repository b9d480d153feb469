package import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension Macros {
  /// Returns the person's profile, and creates it at the first use.
  ///
  /// The id is derived from company and person, so that two concurrent first uses create only one profile.
  ///
  /// - Throws: `invalid_input` for an operator without a member.
  @discardableResult
  package func profile(_ acting: ActingContext) async throws -> JSONObject {
    let person = try person(acting)
    if let found = try await existingProfile(acting, person) { return found }
    let id = UUID.deterministic(
      namespace: "macros.profile",
      parts: [Array(acting.company.id.text.utf8), Array(person.text.utf8)]
    )
    do {
      _ = try await records.create(
        acting,
        type: "macros.profile",
        id: id,
        fields: ["timezone": .string(acting.company.timeZone)]
      )
    } catch let error as DomainError where [.alreadyExists, .invalidID].contains(error.code) {
      // Created concurrently by another request.
    } catch let error as PostgresError where error.sqlState == .uniqueViolation {
      // Created concurrently by another request.
    }
    guard let made = try await existingProfile(acting, person) else { throw DomainError(.notFound) }
    return made
  }

  /// Changes the person's profile, and creates it if missing.
  package func setProfile(_ acting: ActingContext, _ fields: JSONObject) async throws -> RecordAnswer {
    let profile = try await profile(acting)
    guard let id = profile["id"]?.string.flatMap(UUID.init(text:)) else { throw DomainError(.internal) }
    return try await records.update(acting, type: "macros.profile", id: id, fields: fields)
  }

  /// Logs a meal.
  ///
  /// - Parameters:
  ///   - fields: columns of the entry; they override the amounts and the name from the preset.
  ///   - preset: name or id of a preset; nil for none.
  ///   - key: idempotency key; nil for none.
  package func log(_ acting: ActingContext, _ fields: JSONObject, preset: String? = nil, key: String? = nil)
    async throws
    -> RecordAnswer
  {
    try await profile(acting)
    let written = WrittenRequest(key: key, ["macros.log", preset], fields: .object(fields))
    return try await records.once(acting, written) {
      var complete = fields
      if let preset {
        let id = try await records.resolve(acting, type: "macros.preset", preset)
        let found = try await records.show(acting, type: "macros.preset", id: id)
        complete["preset_id"] = .string(id.text)
        for column in MacroAmounts.columns where fields[column] == nil { complete[column] = found[column] }
        if fields["note"] == nil { complete["note"] = found["name"] }
      }
      return try await records.create(acting, type: "macros.entry", fields: complete, key: key)
    }
  }

  /// Sets the goal of a day type from a date on. If a goal of the day type starts on that date, it is
  /// changed.
  ///
  /// - Parameter from: the first day; nil for today in the person's time zone.
  package func setGoal(_ acting: ActingContext, _ amounts: MacroAmounts, dayType: DayType, from: LocalDate?)
    async throws
    -> RecordAnswer
  {
    try await profile(acting)
    let day = if let from { from } else { try await today(acting) }
    let (person, company) = (try person(acting), acting.company.id)
    let existing = try await read(acting) { tx in
      try tx.rows(
        """
        select g.id from macros.goal g
        where g.company_id = \(company) and g.created_by = \(person) and g.day_type = \(dayType.rawValue)
          and g.effective_from = \(day) and g.deleted_at is null
        """,
        UUID.self
      ).first
    }
    var fields = amounts.fields
    if let existing {
      return try await records.update(acting, type: "macros.goal", id: existing, fields: fields)
    }
    fields["day_type"] = .string(dayType.rawValue)
    fields["effective_from"] = .string(day.description)
    return try await records.create(acting, type: "macros.goal", fields: fields)
  }

  /// Sets the day type of a weekday, in place of an earlier one.
  package func setCycle(_ acting: ActingContext, _ weekday: Weekday, _ dayType: DayType) async throws
    -> RecordAnswer
  {
    let (person, company) = (try person(acting), acting.company.id)
    let existing = try await read(acting) { tx in
      try tx.rows(
        """
        select c.id from macros.carb_cycle c
        where c.company_id = \(company) and c.created_by = \(person) and c.weekday = \(Int16(clamping: weekday.rawValue))
          and c.deleted_at is null
        """,
        UUID.self
      ).first
    }
    let type = "macros.carb_cycle"
    let kind: JSONObject = ["day_type": .string(dayType.rawValue)]
    if let existing { return try await records.update(acting, type: type, id: existing, fields: kind) }
    return try await records.create(
      acting,
      type: type,
      fields: ["weekday": .integer(weekday.rawValue), "day_type": .string(dayType.rawValue)]
    )
  }

  private func existingProfile(_ acting: ActingContext, _ person: UUID) async throws -> JSONObject? {
    let company = acting.company.id
    return try await read(acting) { tx in
      try tx.rows(
        """
        select to_jsonb(p) from macros.profile p
        where p.company_id = \(company) and p.created_by = \(person) and p.deleted_at is null
        """,
        JSON.self
      ).first?.value().object
    }
  }
}

extension MacroAmounts {
  /// The amounts as the fields of a record.
  var fields: JSONObject {
    [
      "protein_g": .string(protein.description), "carbs_g": .string(carbs.description),
      "fat_g": .string(fat.description),
    ]
  }
}
