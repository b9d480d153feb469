internal import Domain
internal import Store

/// Assigns the headings of a file to the columns of a type.
struct ImportMapping {
  /// The column that a heading fills.
  enum Target {
    case column(Column)
    /// A reference to a record, named by its key, number or id.
    case reference(RecordReference, Column)

    var column: Column {
      switch self {
      case .column(let column), .reference(_, let column): column
      }
    }

    var isReference: Bool { if case .reference = self { true } else { false } }
  }

  /// The columns that ``headings`` fill, in the same order, and behind them those of ``constants``.
  private(set) var targets: [Target] = []
  private(set) var headings: [String] = []
  /// The names of the records to which every line refers, whatever the file says.
  private(set) var constants: [String] = []
  /// The headings that name again what a reference refers to, as an export has `machine_code` beside `machine_id`, and
  /// the positions of the references.
  private(set) var echoes: [(target: Int, heading: String)] = []
  /// Every mapped heading, those of id, version, status and of echoes included.
  var all: [String] { headings + [id, version, status].compactMap { $0 } + echoes.map(\.heading) }
  /// The headings of id, version and status; nil if the file has none.
  private(set) var id: String?
  private(set) var version: String?
  private(set) var status: String?

  /// Creates the mapping that the user specified.
  ///
  /// - Throws: `unknown_fields` for a column that the type does not have, `invalid_input` for a column named
  ///   twice.
  init(_ pairs: [(column: String, heading: String)], _ type: RecordType) throws {
    for pair in pairs {
      if take(pair.column, pair.heading, type) { continue }
      targets.append(try Self.target(pair.column, type))
      headings.append(pair.heading)
    }
    try requireDistinct()
  }

  /// Maps each heading that names a column. Computed columns and refusal columns are ignored. A column that names what a
  /// reference refers to fills the reference, or must agree with it if the file has both.
  ///
  /// - Parameter names: the columns of the view that name what a reference refers to, with the reference's column.
  /// - Throws: `unknown_fields` for a heading that is not a column, `invalid_import` if no heading is,
  ///   `invalid_input` if two headings fill one column.
  init(headings found: [String], _ names: [String: String] = [:], _ type: RecordType) throws {
    let found = found.map { $0.trimmingSpaces() }
    let known = Set((type.viewColumns + type.columns).map(\.name) + ["allowed"])
    let times = ImportedPast(type).times
    var repeated: [(column: String, heading: String)] = []
    for heading in found {
      if take(heading, heading, type) { continue }
      if let column = names[heading] {
        if found.contains(where: { $0 == column || "\($0)_id" == column }) {
          repeated.append((column, heading))
        } else {
          targets.append(try Self.target(column, type))
          headings.append(heading)
        }
        continue
      }
      // An export writes the engine's columns and those of the view. An import ignores them.
      // Times of the past are the exception: without them, an imported history would be of today.
      if known.contains(heading), !type.definition.creatable.contains(heading), !times.contains(heading) {
        continue
      }
      if RefusalColumns.allNames.contains(heading), !Self.names(of: type).contains(heading) { continue }
      targets.append(try Self.target(heading, type))
      headings.append(heading)
    }
    guard !targets.isEmpty else {
      throw DomainError(
        .invalidImport,
        "the file has no column of \(type.name)",
        hint: "map columns of the file to fields with --map"
      )
    }
    try requireDistinct()
    echoes = repeated.compactMap { column, heading in
      targets.firstIndex { $0.column.name == column }.map { ($0, heading) }
    }
  }

  /// Lets every line refer to the record with a name.
  mutating func refer(_ target: Target, to name: String) {
    targets.append(target)
    constants.append(name)
  }

  /// Requires that nothing fills a column twice: neither two headings nor a heading and a fixed value.
  ///
  /// - Throws: `invalid_input` naming the column.
  func requireDistinct(with fixed: [String] = []) throws {
    var seen = Set(fixed)
    for column in targets.map(\.column.name) where !seen.insert(column).inserted {
      throw DomainError(
        .invalidInput,
        "the field \(column) is given twice",
        hint: "map one column of the file to it, or set it with --set",
        details: ["fields": [.string(column)]]
      )
    }
  }

  /// Returns the names that a file can use for the type's columns, computed ones and short reference names
  /// included.
  static func names(of type: RecordType) -> Set<String> {
    let bare = type.definition.references.map(\.column).filter { $0.hasSuffix("_id") }.map {
      String($0.dropLast(3))
    }
    return Set((type.viewColumns + type.columns).map(\.name) + type.definition.creatable + bare)
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

  /// Returns the target of a name: a writable column, or a reference named with or without `_id`.
  ///
  /// - Throws: `unknown_fields` with the closest name as a hint.
  static func target(_ name: String, _ type: RecordType) throws -> Target {
    let definition = type.definition
    let writable = definition.creatable + ImportedPast(type).columns
    if let reference = definition.references.first(where: { $0.column == name || $0.column == "\(name)_id" }),
      writable.contains(reference.column), let column = type.column(reference.column)
    {
      return .reference(reference, column)
    }
    if writable.contains(name), let column = type.column(name) { return .column(column) }
    let closest = Suggestion.closest(to: name, among: writable)
    throw DomainError(
      .unknownFields,
      "\(type.name) has no field \(Quoted(name)) to import into",
      hint: closest.map { "did you mean \($0)?" }
        ?? "name the field of a heading, as in `--map description=Text`: \(writable.joined(separator: ", "))"
    )
  }
}
