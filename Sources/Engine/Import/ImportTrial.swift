package import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A file as it would be imported.
package struct ImportTrial: Sendable {
  /// The headings of the file in order.
  package var headings: [String] = []
  /// The columns of ``lines``.
  package var columns: [String] = []
  /// The first lines as they would be: the line's number, and a text for each column, as PostgreSQL would read it.
  package var lines: [(number: Int, cells: [String?])] = []
  /// The notation that was found or stated, by column.
  package var notation: [String: ColumnNotation] = [:]
  /// What the import would do; nil if the file cannot be imported so.
  package var outcome: ImportOutcome?
  /// Why the file cannot be imported so; nil if it can.
  package var fault: DomainError?

  /// The most lines that are shown.
  package static let shown = 20

  /// True if an import would write something.
  package var isUseful: Bool {
    guard let outcome else { return false }
    return outcome.imported + outcome.updated + outcome.completed > 0
  }
}

extension ImportTrial {
  private struct Enough: Error {}

  /// Returns the headings of a file.
  ///
  /// - Parameter fits: true for the headings of the line that has them.
  /// - Throws: `invalid_import` for a file that is no table of text.
  static func headings(
    of path: String,
    _ layout: FileLayout,
    type: RecordType,
    fits: (Set<String>) -> Bool
  ) throws -> [String] {
    let settled = try layout.settled(for: path, fits: fits)
    return try ImportSource(settled, path: path, names: ImportMapping.names(of: type)).headings()
  }

  /// Reads the first lines and the notation.
  mutating func read(
    _ path: String,
    _ type: RecordType,
    _ plan: ImportPlan,
    hasRule: Bool,
    choices: [String: [String]],
    _ acting: ActingContext,
    _ database: Database
  ) async throws {
    var reader = try ImportReader(type: type, plan: plan, path: path, hasRule: hasRule, choices: choices)
    _ = try await ImportSurvey.of(&reader, acting, findsFormer: false, database)
    columns = reader.targets.map(\.column.name) + (reader.mapping.status == nil ? [] : ["status"])
    notation = Dictionary(zip(reader.targets.map(\.column.name), reader.notations)) { first, _ in first }
    var found: [(number: Int, cells: [String?])] = []
    do {
      try reader.read { line in
        let status: [String?] = reader.mapping.status == nil ? [] : [line.status]
        found.append((line.line, line.cells + status))
        if found.count == Self.shown { throw Enough() }
      } bad: { _ in
      }
    } catch is Enough {}
    // People compare the lines with their file.
    let places = Dictionary(plan.mapping.map { ($0.column, headings.firstIndex(of: $0.heading) ?? .max) }) {
      first,
      _ in first
    }
    let order = columns.indices.sorted {
      (places[columns[$0]] ?? .max, $0) < (places[columns[$1]] ?? .max, $1)
    }
    columns = order.map { columns[$0] }
    lines = found.map { line in (number: line.number, cells: order.map { line.cells[$0] }) }
  }
}
