internal import Domain
internal import Postgres
internal import Store

/// What the times of a file mean in the company's time zone.
///
/// A class, because every reader of a column has it.
final class CompanyTimes: Sendable {
  /// For a file that is not read for good yet.
  static let none = CompanyTimes(zone: "", days: [:], moments: [:], skipped: [])

  private let zone: String
  /// The local dates of instants in columns of dates.
  let days: [Instant: LocalDate]
  /// The instants of local times, which are given as if they were in UTC.
  private let moments: [Instant: Instant]
  private let skipped: Set<Instant>

  private init(
    zone: String,
    days: [Instant: LocalDate],
    moments: [Instant: Instant],
    skipped: Set<Instant>
  ) {
    self.zone = zone
    self.days = days
    self.moments = moments
    self.skipped = skipped
  }

  /// True if the clocks skipped some of the local times.
  var hasSkipped: Bool { !skipped.isEmpty }

  /// Returns the instant of a local time, which is given as if it were in UTC. A midnight that the clocks skipped is the
  /// beginning of its day.
  ///
  /// - Throws: `invalid_instant` for another time that the clocks skipped.
  func moment(_ time: Instant, written text: String) throws(DomainError) -> Instant {
    guard !skipped.contains(time) else {
      throw DomainError(
        .invalidInstant,
        "\(Quoted(text)) did not exist: the clocks of \(zone) skipped it",
        hint: "write the time with an offset from UTC"
      )
    }
    return moments[time] ?? time
  }

  /// Reads the dates of instants and the instants of local times.
  static func read(
    _ instants: Set<Instant>,
    _ localTimes: Set<Instant>,
    _ acting: ActingContext,
    _ database: Database
  ) async throws -> CompanyTimes {
    let company = acting.company.id
    return try await database.transaction(.inside(company, user: acting.user, readOnly: true)) { tx in
      let zone = try tx.value(
        "select c.timezone from core.company c where c.id = \(company)",
        as: String.self
      )
      let days = try tx.rows(
        """
        select x.at, (x.at at time zone c.timezone)::date
        from core.company c
        cross join unnest(\(Array(instants))) x (at)
        where c.id = \(company)
        """,
        Instant.self,
        LocalDate.self
      )
      let moments = try tx.rows(
        """
        select x.at, m.moment, (m.moment at time zone c.timezone) = (x.at at time zone 'UTC')
        from core.company c
        cross join unnest(\(Array(localTimes))) x (at)
        cross join lateral (select (x.at at time zone 'UTC') at time zone c.timezone as moment) m
        where c.id = \(company)
        """,
        Instant.self,
        Instant.self,
        Bool.self
      )
      let skipped = moments.filter { !$0.2 && $0.0.microseconds % 86_400_000_000 != 0 }.map(\.0)
      return CompanyTimes(
        zone: zone,
        days: Dictionary(days) { first, _ in first },
        moments: Dictionary(moments.map { ($0.0, $0.1) }) { first, _ in first },
        skipped: Set(skipped)
      )
    }
  }
}
