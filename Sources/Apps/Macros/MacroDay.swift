internal import Domain
internal import FoundationEssentials
package import Postgres
internal import Store

/// The macros eaten on a day, compared with that day's goal.
package struct MacroDay: RowDecodable, Sendable {
  /// An amount with its goal, and its percentage of the goal.
  package struct Figure: Sendable {
    /// The eaten amount.
    package let amount: ExactDecimal
    /// The goal; nil if none applies.
    package let goal: ExactDecimal?
    /// The amount in percent of the goal, to 0.1; nil without a goal or if the goal is zero.
    package let percent: ExactDecimal?
  }

  package let day: LocalDate
  /// The number of entries.
  package let entries: Int
  /// Protein in grams.
  package let protein: Figure
  /// Carbohydrates in grams.
  package let carbs: Figure
  /// Fat in grams.
  package let fat: Figure
  /// Energy in kilocalories.
  package let kcal: Figure
  /// The day type of the goal; nil if none applies.
  package let dayType: String?

  package init(row: inout RowReader) throws(PostgresError) {
    day = try row.next()
    entries = try row.next()
    protein = Figure(amount: try row.next(), goal: try row.next(), percent: try row.next())
    carbs = Figure(amount: try row.next(), goal: try row.next(), percent: try row.next())
    fat = Figure(amount: try row.next(), goal: try row.next(), percent: try row.next())
    kcal = Figure(amount: try row.next(), goal: try row.next(), percent: try row.next())
    dayType = try row.next()
  }

  /// Returns the query for all days of a range, including days without entries, since goals apply to them
  /// too.
  static func query(company: UUID, person: UUID, from: LocalDate, to: LocalDate) -> SQL {
    """
    select d.day, coalesce(t.entries, 0)::integer,
      coalesce(t.protein_g, 0), g.protein_g, round(100 * coalesce(t.protein_g, 0) / nullif(g.protein_g, 0), 1),
      coalesce(t.carbs_g, 0), g.carbs_g, round(100 * coalesce(t.carbs_g, 0) / nullif(g.carbs_g, 0), 1),
      coalesce(t.fat_g, 0), g.fat_g, round(100 * coalesce(t.fat_g, 0) / nullif(g.fat_g, 0), 1),
      coalesce(t.kcal, 0), g.kcal, round(100 * coalesce(t.kcal, 0) / nullif(g.kcal, 0), 1),
      g.day_type
    from (
      select s::date as day from generate_series(\(from)::timestamp, \(to)::timestamp, interval '1 day') s
    ) d
    left join macros.v_daily_total t
      on t.company_id = \(company) and t.created_by = \(person) and t.local_date = d.day
    left join lateral macros.goal_on(\(company), \(person), d.day) g on true
    order by d.day
    """
  }
}

/// A range of days with totals and averages.
package struct MacroPeriod: RowDecodable, Sendable {
  /// The first day.
  package let from: LocalDate
  /// The number of days.
  package let days: Int
  /// The number of days with entries. The averages cover only these days; they are nil if there are none.
  package let daysLogged: Int
  package let entries: Int
  package let protein: ExactDecimal
  package let carbs: ExactDecimal
  package let fat: ExactDecimal
  package let kcal: ExactDecimal
  package let averageProtein: ExactDecimal?
  package let averageCarbs: ExactDecimal?
  package let averageFat: ExactDecimal?
  package let averageKcal: ExactDecimal?

  package init(row: inout RowReader) throws(PostgresError) {
    from = try row.next()
    days = try row.next()
    daysLogged = try row.next()
    entries = try row.next()
    protein = try row.next()
    carbs = try row.next()
    fat = try row.next()
    kcal = try row.next()
    averageProtein = try row.next()
    averageCarbs = try row.next()
    averageFat = try row.next()
    averageKcal = try row.next()
  }
}
