internal import Domain
internal import FoundationEssentials
internal import Postgres

/// The local day to which a meal at a given moment belongs.
enum LocalDay {
  /// Returns the query for the day of a meal in the time zone of the person's profile, or of the company
  /// without a profile. Times before the start of the person's day belong to the day before.
  ///
  /// - Parameter moment: the time of the meal; nil for now.
  static func query(at moment: Instant?, company: UUID, person: UUID?) -> SQL {
    """
    select (
      coalesce(\(nullable: moment), now()) at time zone core.known_zone(coalesce(p.timezone, c.timezone))
        - coalesce(p.day_starts_at, '00:00')::interval
    )::date
    from core.company c
    left join macros.profile p
      on p.company_id = c.id and p.created_by = \(nullable: person) and p.deleted_at is null
    where c.id = \(company)
    """
  }

  /// Refuses a day more than one day from the UTC day of the moment, since no time zone differs by more.
  ///
  /// - Throws: `invalid_date`.
  static func require(_ day: LocalDate, near moment: Instant) throws(DomainError) {
    let utc = LocalDate(
      daysSince1970: Int(clamping: (Double(moment.microseconds) / 86_400_000_000).rounded(.down))
    )
    guard abs(day.daysSince1970 - utc.daysSince1970) <= 1 else {
      throw DomainError(
        .invalidDate,
        "local_date \(day) is more than one day from eaten_at \(moment.rfc3339)",
        hint: "set local_date to the day in the person's time zone, or correct eaten_at"
      )
    }
  }
}
