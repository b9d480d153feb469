internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordRule {
  /// Computes the instants of start and end from local times of the company, and requires a valid duration.
  /// Sets the worker's name, or requires a name for a guest. Refuses hours that end in the future, times that the clocks
  /// skipped, and unless the company permits them, hours that overlap others of the same person.
  ///
  /// The last two are not asked of stored hours whose person, date and times stay: the company may have permitted
  /// overlaps before, or have been in another time zone.
  ///
  /// PostgreSQL resolves the time zone; ``WorkedHours`` checks the duration.
  static let timeEntry = RecordRule(dependsOn: ["maintenance.time_entry"], fills: ["user_name"]) {
    fields,
    acting,
    pipeline in
    try require([.entryID, .workDate, .startTime, .endTime], fields)
    let date = try LocalDate(parsing: text(.workDate, fields))
    let start = try LocalTime(parsing: text(.startTime, fields))
    let end = try LocalTime(parsing: text(.endTime, fields))
    let lunch = fields[TimeEntry.CodingKeys.hasLunch.rawValue]?.bool ?? false
    let worked = try WorkedHours(on: date, from: start, to: end, hasLunch: lunch)
    let startMoment: SQL =
      "((\(date) + \(start)) at time zone core.known_zone(c.timezone))"
    let endMoment: SQL =
      "((\(worked.endDate) + \(end)) at time zone core.known_zone(c.timezone))"
    let moments = pipeline.rows(
      """
      select
        \(startMoment), \(endMoment),
        (\(startMoment) at time zone core.known_zone(c.timezone)) = (\(date) + \(start)),
        (\(endMoment) at time zone core.known_zone(c.timezone)) = (\(worked.endDate) + \(end))
      from core.company c
      where c.id = \(acting.company.id)
      """,
      Instant.self,
      Instant.self,
      Bool.self,
      Bool.self
    )
    let worker = fields[TimeEntry.CodingKeys.userID.rawValue]?.string.flatMap(UUID.init(text:))
    // Does not check whether the member was removed: the engine does so when the field is given. Thus hours stay
    // with a member who leaves.
    let name = worker.map { id in
      pipeline.rows(
        """
        select u.name from core.membership m
        join core.app_user u on u.id = m.user_id
        where m.company_id = \(acting.company.id) and m.user_id = \(id)
        """,
        String.self
      )
    }
    let person = Self.person(worker, fields)
    let id = fields["id"]?.string.flatMap(UUID.init(text:))
    let same: Ticket<Bool>? =
      if let person, fields.isStoredRecord, acting.actor != .restoration {
        pipeline.rows(
          OverlappingHours.isStored(id, person, company: acting.company.id, on: date, from: start, to: end),
          Bool.self
        )
      } else {
        nil
      }
    let overlapping = person.map { person in
      // A check of stored hours must not hold up those who log new ones.
      if acting.actor.kind != .system {
        OverlappingHours.lock(person, company: acting.company.id, &pipeline)
      }
      return pipeline.rows(
        OverlappingHours.query(
          person,
          except: id,
          company: acting.company.id,
          from: startMoment,
          to: endMoment,
          around: "\(date)::date"
        ),
        as: OverlappingHours.self
      )
    }
    return { access in
      guard let (started, ended, startShown, endShown) = try moments.first else {
        throw DomainError(.notFound)
      }
      let staysSame = try same?.first ?? false
      if !staysSame { try worked.requireShown(start: startShown, end: endShown) }
      _ = try worked.hours(from: started, to: ended)
      try ended.requireMeasurable(now: access.now, code: .futureReading)
      if !staysSame, let other = try overlapping?.first { throw other.refusal }
      var computed: JSONObject = [
        TimeEntry.CodingKeys.startedAt.rawValue: .string(started.description),
        TimeEntry.CodingKeys.endedAt.rawValue: .string(ended.description),
      ]
      if let name {
        guard let found = try name.first else {
          throw DomainError(.notFound, "there is no such member", hint: "list them with `fettle member list`")
        }
        computed[TimeEntry.CodingKeys.userName.rawValue] = .string(found)
      } else if fields[TimeEntry.CodingKeys.userName.rawValue]?.isBlank ?? true {
        throw DomainError(.guestNameMissing)
      }
      return computed
    }
  }

  /// Returns the person who worked; nil for a guest without a name.
  private static func person(_ worker: UUID?, _ fields: JSONObject) -> OverlappingHours.Person? {
    if let worker { return .member(worker) }
    let name = fields[TimeEntry.CodingKeys.userName.rawValue]?.string ?? ""
    return name.trimmingSpaces().isEmpty ? nil : .guest(name)
  }

  /// Throws `missing_fields` with all missing columns, so that a form can show them together.
  private static func require(_ columns: [TimeEntry.CodingKeys], _ fields: JSONObject) throws {
    let missing = columns.map(\.rawValue).filter { fields[$0]?.isBlank ?? true }
    guard missing.isEmpty else {
      throw DomainError(
        .missingFields,
        "\(missing.joined(separator: ", ")) \(missing.count == 1 ? "is" : "are") missing",
        details: ["fields": .strings(missing)]
      )
    }
  }

  private static func text(_ column: TimeEntry.CodingKeys, _ fields: JSONObject) -> String {
    fields[column.rawValue]?.string ?? ""
  }
}
