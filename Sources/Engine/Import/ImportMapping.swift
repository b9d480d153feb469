internal import Domain
internal import Store

/// Which heading of a file fills which column of a type.
struct ImportMapping {
  /// What a heading fills.
  enum Target {
    case column(Column)
    /// A record of another type that the cell names.
    case reference(RecordReference, Column)

    var column: Column {
      switch self {
      case .column(let column), .reference(_, let column): column
      }
    }
  }

  /// What the headings fill, in the order of ``headings``.
  private(set) var targets: [Target] = []
  private(set) var headings: [String] = []
  /// The headings of id, version and status, where the file has them.
  private(set) var id: String?
  private(set) var version: String?
  private(set) var status: String?

  /// Takes the mapping that somebody wrote.
  ///
  /// - Throws: `unknown_fields` when it names a column that the type does not have.
  init(_ pairs: [(column: String, heading: String)], _ type: RecordType) throws {
    for pair in pairs {
      if take(pair.column, pair.heading, type) { continue }
      targets.append(try Self.target(pair.column, type))
      headings.append(pair.heading)
    }
  }

  /// Takes the headings of a file for what they say: columns that are computed are passed over.
  ///
  /// - Throws: `unknown_fields` for a heading that is no column at all.
  init(headings found: [String], _ type: RecordType) throws {
    let known = Set((type.viewColumns + type.columns).map(\.name) + ["allowed"])
    for heading in found.map({ $0.trimmingSpaces() }) {
      if take(heading, heading, type) { continue }
      // The engine's own and those of the view, which an export has and no import takes.
      if known.contains(heading), !type.definition.creatable.contains(heading) { continue }
      targets.append(try Self.target(heading, type))
      headings.append(heading)
    }
    guard !targets.isEmpty else {
      throw DomainError(
        .invalidImport,
        "the file has no column of \(type.name)",
        hint: "name some with --map"
      )
    }
  }

  private mutating func take(_ column: String, _ heading: String, _ type: RecordType) -> Bool {
    switch column {
    case "id": id = heading
    case "version": version = heading
    case "status" where type.workflow != nil: status = heading
    default: return false
    }
    return true
  }

  /// What a column's name in a mapping means: a column that may be written, or a reference by its bare name.
  static func target(_ name: String, _ type: RecordType) throws -> Target {
    let definition = type.definition
    if let reference = definition.references.first(where: { $0.column == name || $0.column == "\(name)_id" }),
      definition.creatable.contains(reference.column), let column = type.column(reference.column)
    {
      return .reference(reference, column)
    }
    if definition.creatable.contains(name), let column = type.column(name) { return .column(column) }
    let closest = Suggestion.closest(to: name, among: definition.creatable)
    throw DomainError(
      .unknownFields,
      "\(type.name) has no field \(Quoted(name)) to import into",
      hint: closest.map { "did you mean \($0)?" } ?? "it has: \(definition.creatable.joined(separator: ", "))"
    )
  }
}
