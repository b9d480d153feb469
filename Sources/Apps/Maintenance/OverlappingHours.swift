internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Stored hours of a person that overlap new ones.
struct OverlappingHours: RowDecodable, Sendable {
  /// The company's choice whether such hours are refused. The report `overlapping_hours` lists those that pass.
  static let setting = CompanySetting(
    "maintenance.overlapping_hours",
    "Overlapping hours of one person are refused, or pass and are reported",
    choices: ["refuse", "warn"]
  )

  private let entry: String
  private let date: String
  private let start: String
  private let end: String
  private let name: String

  init(row: inout RowReader) throws(PostgresError) {
    entry = try row.next()
    date = try row.next()
    start = try row.next()
    end = try row.next()
    name = try row.next()
  }

  /// The person who worked: a member, or a guest, who is known by the name only.
  enum Person {
    case member(UUID)
    case guest(String)

    fileprivate var isWorker: SQL {
      switch self {
      case .member(let id): "t.user_id = \(id)"
      case .guest(let name): "t.user_id is null and lower(btrim(t.user_name)) = lower(btrim(\(name)))"
      }
    }

    fileprivate var key: String {
      switch self {
      case .member(let id): id.text
      case .guest(let name): name.trimmingSpaces().lowercased()
      }
    }
  }

  /// Queues the lock of a person's hours until the end of the transaction. Of two transactions that write hours of
  /// the same person, the second one sees those of the first.
  ///
  /// The number of locks of a company is limited, because an import may contain hours of thousands of guests.
  static func lock(_ person: Person, company: UUID, _ pipeline: inout Pipeline) {
    let place = "maintenance.time_entry \(company.text)"
    pipeline.execute(
      "select pg_advisory_xact_lock(hashtext(\(place)), hashtext(\(person.key)) & 255)"
    )
  }

  /// Returns the query whether hours are stored with the same person, date and times.
  static func isStored(
    _ id: UUID?,
    _ person: Person,
    company: UUID,
    on date: LocalDate,
    from start: LocalTime,
    to end: LocalTime
  ) -> SQL {
    """
    select exists (
      select from maintenance.time_entry t
      where t.company_id = \(company) and t.id = \(nullable: id) and t.deleted_at is null and (\(person.isWorker))
        and t.work_date = \(date) and t.start_time = \(start) and t.end_time = \(end)
    )
    """
  }

  /// Returns the query for other hours of the person between two instants; none if the company lets them pass.
  static func query(
    _ person: Person,
    except id: UUID?,
    company: UUID,
    from start: SQL,
    to end: SQL,
    around date: SQL
  ) -> SQL {
    """
    select coalesce(e.number, e.description), t.work_date::text, to_char(t.start_time, 'HH24:MI'),
      to_char(t.end_time, 'HH24:MI'), t.user_name
    from core.company c
    join maintenance.time_entry t on t.company_id = c.id
    join maintenance.entry e on e.company_id = t.company_id and e.id = t.entry_id
    where c.id = \(company) and coalesce(c.settings ->> \(setting.name), '') <> 'warn'
      and t.deleted_at is null and t.id is distinct from \(nullable: id) and (\(person.isWorker))
      -- The longest work lasts less than a day.
      and t.work_date between \(date) - 1 and \(date) + 1
      -- From the local times, because the stored instants are of the company's zone when they were written.
      and (t.work_date + t.start_time) at time zone core.known_zone(c.timezone) < \(end)
      and (t.work_date + (t.end_time < t.start_time)::integer + t.end_time) at time zone core.known_zone(c.timezone)
        > \(start)
    order by t.started_at, t.id
    limit 1
    """
  }

  var refusal: DomainError {
    DomainError(
      .overlappingHours,
      "\(name) worked from \(start) to \(end) of \(date) on \(entry) already",
      hint: "correct one of the two; the hours of each person are counted once",
      details: ["entry": .string(entry), "work_date": .string(date)]
    )
  }
}
