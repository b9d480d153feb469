package import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A member's meals and goals, private to that member.
package struct Macros: Sendable {
  /// The grouping of days.
  package enum Period: String, Sendable, CaseIterable {
    case week, month
  }

  /// Maximum number of days in a range.
  private static let longestRange = 3_660

  private let services: Services
  let records: Records
  private let administration: CompanyAdministration

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
    administration = CompanyAdministration(services)
  }

  /// Returns the person's current day, in the time zone of their profile.
  ///
  /// - Throws: `invalid_input` for an operator without a member.
  package func today(_ acting: ActingContext) async throws -> LocalDate {
    let person = try person(acting)
    let query = LocalDay.query(at: nil, company: acting.company.id, person: person)
    return try await read(acting) { tx in try tx.value(query, as: LocalDate.self) }
  }

  /// Returns the totals of one day and its goal.
  package func day(_ acting: ActingContext, _ day: LocalDate) async throws -> MacroDay {
    guard let found = try await range(acting, from: day, to: day).first else { throw DomainError(.internal) }
    return found
  }

  /// Returns all days of a range, including days without entries.
  ///
  /// - Throws: `invalid_date` if `from` is after `to`, `invalid_input` for more than 3,660 days.
  package func range(_ acting: ActingContext, from: LocalDate, to: LocalDate) async throws -> [MacroDay] {
    let query = MacroDay.query(
      company: acting.company.id,
      person: try person(acting),
      from: from,
      to: to
    )
    try requireRange(from, to)
    return try await read(acting) { tx in try tx.rows(query, as: MacroDay.self) }
  }

  /// Returns totals and averages of a range; the averages cover only days with entries.
  ///
  /// - Throws: `invalid_date` if `from` is after `to`, `invalid_input` for more than 3,660 days.
  package func summary(_ acting: ActingContext, from: LocalDate, to: LocalDate) async throws -> MacroPeriod {
    let person = try person(acting)
    let company = acting.company.id
    try requireRange(from, to)
    return try await read(acting) { tx in
      let found = try tx.first(
        """
        select \(from), \(to) - \(from) + 1, count(*)::integer, coalesce(sum(t.entries), 0)::integer,
          coalesce(sum(t.protein_g), 0), coalesce(sum(t.carbs_g), 0), coalesce(sum(t.fat_g), 0),
          coalesce(sum(t.kcal), 0), round(avg(t.protein_g), 1), round(avg(t.carbs_g), 1), round(avg(t.fat_g), 1),
          round(avg(t.kcal), 1)
        from macros.v_daily_total t
        where t.company_id = \(company) and t.created_by = \(person) and t.local_date between \(from) and \(to)
        """,
        as: MacroPeriod.self
      )
      guard let found else { throw DomainError(.internal) }
      return found
    }
  }

  /// Returns the weeks or months that have entries, oldest first: from the one that contains `from` to the
  /// last one that begins by `to`. Each is counted in full.
  ///
  /// - Throws: `invalid_date` if `from` is after `to`, `invalid_input` for more than 3,660 days.
  package func periods(_ acting: ActingContext, _ period: Period, from: LocalDate, to: LocalDate) async throws
    -> [MacroPeriod]
  {
    let person = try person(acting)
    let company = acting.company.id
    try requireRange(from, to)
    let (view, start): (SQL, SQL) =
      switch period {
      case .week: ("macros.v_week", "week_starts_on")
      case .month: ("macros.v_month", "month_starts_on")
      }
    return try await read(acting) { tx in
      try tx.rows(
        """
        select t.\(start), t.days, t.days_logged::integer, t.entries::integer, t.protein_g, t.carbs_g, t.fat_g,
          t.kcal, t.average_protein_g, t.average_carbs_g, t.average_fat_g, t.average_kcal
        from \(view) t
        where t.company_id = \(company) and t.created_by = \(person)
          and t.\(start) between date_trunc(\(period.rawValue), \(from)::timestamp)::date and \(to)
        order by t.\(start)
        """,
        as: MacroPeriod.self
      )
    }
  }

  /// Returns the owner of the macros.
  ///
  /// - Throws: `invalid_input` for an operator without a member.
  func person(_ acting: ActingContext) throws -> UUID {
    guard let user = acting.user else {
      throw DomainError(.invalidInput, "macros are private to a person", hint: "add --as MEMBER")
    }
    return user
  }

  private func requireRange(_ from: LocalDate, _ to: LocalDate) throws {
    guard from <= to else { throw DomainError(.invalidDate, "\(from) is after \(to)") }
    guard to.daysSince1970 - from.daysSince1970 < Self.longestRange else {
      throw DomainError(.invalidInput, "a range has at most \(Self.longestRange) days")
    }
  }

  func read<Value: Sendable>(
    _ acting: ActingContext,
    _ body: @escaping @Sendable (Transaction) throws -> Value
  )
    async throws -> Value
  {
    try await administration.read(acting, permission: "macros.entry.read") { tx, _ in try body(tx) }
  }
}
