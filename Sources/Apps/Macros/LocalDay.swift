internal import Domain
internal import FoundationEssentials
internal import Postgres

/// The local day to which a meal at a given moment belongs.
enum LocalDay {
  /// Computes the day in the time zone of the person's profile, or else of the company, counted from the
  /// start of the person's day; nil for now.
  static func query(at moment: Timestamp?, company: UUID, person: UUID?) -> SQL {
    """
    select (
      coalesce(\(nullable: moment), now()) at time zone coalesce(p.timezone, c.timezone)
        - coalesce(p.day_starts_at, '00:00')::interval
    )::date
    from core.company c
    left join macros.profile p
      on p.company_id = c.id and p.created_by = \(nullable: person) and p.deleted_at is null
    where c.id = \(company)
    """
  }

  /// Refuses a day more than one day away from the moment's UTC day, since no time zone differs by more.
  static func require(_ day: LocalDate, near moment: Instant) throws(DomainError) {
    let utc = LocalDate(daysSince1970: Int((Double(moment.microseconds) / 86_400_000_000).rounded(.down)))
    guard abs(day.daysSince1970 - utc.daysSince1970) <= 1 else {
      throw DomainError(
        .invalidDate,
        "\(day) is more than a day away from \(moment.rfc3339), when it was eaten",
        hint: "give local_date the day where the person was, or correct eaten_at"
      )
    }
  }
}
