internal import Domain

/// A report that operators can run: a view of the schema `report`, which is its contract.
package struct Report: Sendable {
  /// How commands call it.
  package let name: String
  /// What it tells, in a line.
  package let title: String
  /// The view, without its schema.
  package let view: String
  /// The columns it is sorted by, each with its direction.
  package let order: [(column: String, descending: Bool)]

  /// Every report of this program.
  package static let all = [
    Report(
      name: "backlog",
      title: "What waits and what is under way, per machine, and for how long",
      view: "v1_backlog",
      order: [("company", false), ("oldest_days", true), ("machine", false)]
    ),
    Report(
      name: "costs",
      title: "Entries, cost and hours per machine and year",
      view: "v1_machine_cost_by_year",
      order: [("company", false), ("machine", false), ("year", false)]
    ),
    Report(
      name: "value_by_category",
      title: "What items of each category cost",
      view: "v1_inventory_value_by_category",
      order: [("company", false), ("value", true), ("category", false), ("currency", false)]
    ),
    Report(
      name: "value_by_location",
      title: "What items at each location cost",
      view: "v1_inventory_value_by_location",
      order: [("company", false), ("value", true), ("location", false), ("currency", false)]
    ),
    Report(
      name: "value_by_month",
      title: "What was bought each month",
      view: "v1_inventory_value_by_month",
      order: [("company", false), ("currency", false), ("month", false)]
    ),
    Report(
      name: "warranty_cover",
      title: "How much of what is owned is in warranty today",
      view: "v1_warranty_cover",
      order: [("company", false), ("warranty", false), ("currency", false)]
    ),
  ]

  /// The report of a name.
  ///
  /// - Throws: `unknown_report` with the closest name.
  package static func named(_ name: String) throws -> Report {
    if let report = all.first(where: { $0.name == name || $0.view == name }) { return report }
    let names = all.map(\.name)
    let closest = Suggestion.closest(to: name, among: names)
    throw DomainError(
      .unknownReport,
      "there is no report \(Quoted(name))",
      hint: closest.map { "did you mean \($0)?" } ?? "there are: \(names.joined(separator: ", "))"
    )
  }
}
