internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordRule {
  /// Computes the elapsed hours between two local times of the company. PostgreSQL resolves the time zone,
  /// the domain checks the rest.
  static let timeEntry = RecordRule { fields, acting, pipeline in
    try require(["entry_id", "work_date", "start_time", "end_time"], fields)
    let date = try LocalDate(parsing: text("work_date", fields))
    let start = try LocalTime(parsing: text("start_time", fields))
    let end = try LocalTime(parsing: text("end_time", fields))
    let lunch = fields["lunch_break_deducted"]?.bool ?? false
    let worked = try WorkedHours(on: date, from: start, to: end, lunchBreakDeducted: lunch)
    let moments = pipeline.rows(
      """
      select (\(try date.calendar) + \(try start.timeOfDay)) at time zone c.timezone,
        (\(try worked.endDate.calendar) + \(try end.timeOfDay)) at time zone c.timezone
      from core.company c
      where c.id = \(acting.company.id)
      """,
      Timestamp.self,
      Timestamp.self
    )
    let worker = fields["user_id"]?.string.flatMap(UUID.init(uuidString:))
    let name = worker.map { id in
      pipeline.rows(
        """
        select u.name from core.membership m
        join core.app_user u on u.id = m.user_id
        where m.company_id = \(acting.company.id) and m.user_id = \(id) and m.status <> 'removed'
        """,
        String.self
      )
    }
    return { _ in
      guard let (started, ended) = try moments.first else { throw DomainError(.notFound) }
      _ = try worked.hours(
        from: Instant(microseconds: started.microseconds),
        to: Instant(microseconds: ended.microseconds)
      )
      var computed: JSONObject = [
        "started_at": .string(started.description), "ended_at": .string(ended.description),
      ]
      if let name {
        guard let found = try name.first else {
          throw DomainError(.notFound, "there is no such member", hint: "`fettle member list` shows them")
        }
        computed["user_name"] = .string(found)
      } else if fields["user_name"]?.isBlank ?? true {
        throw DomainError(.guestNameMissing)
      }
      return computed
    }
  }

  /// Reports all missing fields at once, for the user who fills in a form.
  private static func require(_ columns: [String], _ fields: JSONObject) throws {
    let missing = columns.filter { fields[$0]?.isBlank ?? true }
    guard missing.isEmpty else {
      throw DomainError(
        .missingFields,
        "\(missing.joined(separator: ", ")) \(missing.count == 1 ? "is" : "are") missing",
        details: ["fields": .strings(missing)]
      )
    }
  }

  private static func text(_ column: String, _ fields: JSONObject) -> String { fields[column]?.string ?? "" }
}
