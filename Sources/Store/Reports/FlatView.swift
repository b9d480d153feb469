internal import Domain
internal import Postgres

/// The report view of one record type: a row for each record, with names beside ids, local dates beside instants, and
/// numbers of minutes in place of intervals.
///
/// It is made from the manifest and the catalogue, so that each installed app has one for each type. It reads base
/// tables only, because the reporting logins get rights on exactly the columns that report views read.
struct FlatView {
  /// A column of a type's table.
  struct Source {
    let name: String
    /// The SQL type without modifiers, such as `numeric`.
    let type: String
    let comment: String?
    /// True if the view through which members read the type has a column of this name.
    let isShown: Bool
    let isGenerated: Bool
  }

  /// A type with the columns of its table.
  struct Subject {
    let definition: RecordTypeDefinition
    let columns: [Source]
  }

  /// The name in the schema `report`.
  let name: String
  private let definition: RecordTypeDefinition
  private var taken: Set<String>
  private var columns: [(sql: String, name: String, comment: String)] = []
  private var joins: [String] = []

  /// The columns of every table that serve the engine, or that a report has no use for.
  private static let hidden: Set<String> = RecordType.hiddenColumns.union([
    "version", "updated_by", "client_created_at", "created_by", "created_at", "updated_at", "id", "number",
  ])
  /// The types whose values are not flat.
  private static let nested: Set<String> = ["json", "jsonb", "bytea", "xml", "tsvector"]

  /// - Parameters:
  ///   - catalogue: all types, by name.
  ///   - reserved: the words that cannot be the name of a column without quotes.
  init(_ subject: Subject, named name: String, in catalogue: [String: Subject], reserved: Set<String>) {
    self.name = name
    definition = subject.definition
    taken = Set(subject.columns.map(\.name))
    let sources = Dictionary(subject.columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    add("t.company_id", "company_id", "The company.")
    addFree("c.slug", ["company", "company_slug"], "Short name of the company.")
    add("t.id", "id", "Id of the record.")
    if definition.number != nil, let number = sources["number"] {
      add("t.number", "number", number.comment ?? "Number of the record.")
    }
    for source in subject.columns where Self.isFlat(source) && !Self.hidden.contains(source.name) {
      add(source, catalogue, reserved)
    }
    for name in ["created_at", "created_by", "updated_at"] {
      if let source = sources[name] { add(source, catalogue, reserved) }
    }
    addFree(
      "(now() at time zone c.zone)::date",
      ["today", "today_here"],
      "Today, in the company's time zone."
    )
  }

  /// Returns the comment of a column that has none.
  private static func words(_ name: String) -> String {
    let words = name.split(separator: "_").joined(separator: " ")
    return "\(words.prefix(1).uppercased())\(words.dropFirst())."
  }

  private static func isFlat(_ source: Source) -> Bool {
    // A generated key only compares.
    source.isShown && !nested.contains(source.type) && !(source.isGenerated && source.name.hasSuffix("_key"))
  }

  private mutating func add(_ source: Source, _ catalogue: [String: Subject], _ reserved: Set<String>) {
    let column = Self.quoted("t", source.name)
    let comment = source.comment ?? Self.words(source.name)
    if source.type == "interval" {
      let minutes = "round(extract(epoch from \(column)) / 60, 2)"
      addFree(minutes, ["\(source.name)_minutes"], "Minutes. \(comment)")
      return
    }
    add(column, source.name, comment)
    if source.type == "timestamp with time zone" {
      let day = source.name.hasSuffix("_at") ? "\(source.name.dropLast(3))_on" : "\(source.name)_on"
      addFree(
        "(\(column) at time zone c.zone)::date",
        [day, "\(source.name)_on"],
        "Date of \(source.name), in the company's time zone; null if it is null."
      )
    }
    let target =
      source.name == "created_by"
      ? "core.membership" : definition.references.first { $0.column == source.name }?.target
    if let target { addName(of: source.name, target, catalogue, reserved) }
  }

  /// Adds what people call the record, or the member, that a column points to.
  private mutating func addName(
    of column: String,
    _ target: String,
    _ catalogue: [String: Subject],
    _ reserved: Set<String>
  ) {
    let stem = column.hasSuffix("_id") ? String(column.dropLast(3)) : column
    let alias = "r\(joins.count + 1)"
    if target == "core.membership" {
      joins.append("left join core.app_user \(alias) on \(alias).id = \(Self.quoted("t", column))")
      let added = addFree("\(alias).name", ["\(stem)_name"], "Name of the member in \(column); null if none.")
      if !added { joins.removeLast() }
      return
    }
    guard let other = catalogue[target], other.definition.scope == .company else { return }
    var names: [String] = []
    for name in other.definition.nameColumns + [other.definition.titleField]
    where !names.contains(name) && other.columns.contains(where: { $0.name == name }) { names.append(name) }
    guard let first = names.first else { return }
    let parts = other.definition.table.split(separator: ".").map(String.init)
    joins.append(
      "left join \(Self.quoted(parts[0], parts[1])) \(alias) on \(alias).company_id = t.company_id"
        + " and \(alias).id = \(Self.quoted("t", column))"
    )
    let list = names.map { "\(Self.quoted(alias, $0))::text" }.joined(separator: ", ")
    let rest = names.count > 1 ? "; \(names.dropFirst().joined(separator: ", or ")) if there is none" : ""
    let added = addFree(
      names.count > 1 ? "coalesce(\(list))" : list,
      (stem == column || reserved.contains(stem) ? [] : [stem]) + ["\(stem)_name"],
      "The \(first) of the \(other.definition.label.lowercased()) in \(column)\(rest)."
    )
    if !added { joins.removeLast() }
  }

  private mutating func add(_ sql: String, _ name: String, _ comment: String) {
    columns.append((sql, name, comment))
    taken.insert(name)
  }

  /// Adds a computed column under the first name that is free. If there is none, the view has no such column.
  @discardableResult
  private mutating func addFree(_ sql: String, _ names: [String], _ comment: String) -> Bool {
    // Longer names are cut by PostgreSQL.
    guard let name = names.first(where: { !taken.contains($0) && $0.utf8.count <= 63 }) else { return false }
    add(sql, name, comment)
    return true
  }

  /// The statements that create the view and its comments.
  var statements: [String] {
    let list = columns.map { "  \($0.sql) as \(Self.quoted($0.name))" }.joined(separator: ",\n")
    let parts = definition.table.split(separator: ".").map(String.init)
    let view = Self.quoted("report", name)
    let definition = """
      create view \(view) with (security_invoker = true, security_barrier = true) as
      select
      \(list)
      from \(Self.quoted(parts[0], parts[1])) t
      join (
        select k.id, k.slug, core.known_zone(k.timezone) as zone from core.company k offset 0
      ) c on c.id = t.company_id
      \(joins.joined(separator: "\n"))
      where t.deleted_at is null
      """
    let summary =
      "\(self.definition.plural), one row each, without deleted ones. Made from the manifest of \(self.definition.app)."
    return [definition, "comment on view \(view) is \(Self.literal(summary))"]
      + columns.map { "comment on column \(view).\(Self.quoted($0.name)) is \(Self.literal($0.comment))" }
  }

  private static func quoted(_ parts: String...) -> String {
    parts.map { ("\(identifier: $0)" as SQL).text }.joined(separator: ".")
  }

  private static func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
}
