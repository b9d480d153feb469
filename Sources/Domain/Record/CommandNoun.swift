/// The noun by which the command line names a record type: `fettle tree list`.
///
/// ```yaml
/// command: tree                                  # the noun alone, or with more words:
/// command:
///   name: entry
///   about: "Maintenance entries: pending, in progress, completed"
///   columns: [external_ref, machine_code, status, reported_on, id]  # that a list shows to people
///   sort: -reported_on                           # of a list; - for descending
///   limit: 50                                    # records that a list shows
///   arguments: [description]                     # fields that `add` takes without a flag, in this order
///   flags: { estimate: estimated_hours }         # other names for the flags of fields
///   filters: { due: is_due }                     # flags of `list` beside --status, --search and the references
/// ```
package struct CommandNoun: Sendable, Hashable {
  /// The word.
  package let name: String
  /// What such records are, for the help; the type's plural unless given.
  package let about: String?
  /// The columns of the view that a list shows to people; empty for those that the type suggests.
  package let columns: [String]
  /// The column by which a list is sorted, with `-` for descending; nil for the newest first.
  package let sort: String?
  /// How many records a list shows unless told otherwise.
  package let limit: Int
  /// The fields that `add` takes without a flag, in this order.
  package let arguments: [String]
  /// Flags that are named otherwise than their fields.
  package let flags: [Flag]
  /// Flags of `list` that compare a column of the view.
  package let filters: [Flag]

  /// A flag of the command line and the column that it stands for.
  package struct Flag: Sendable, Hashable {
    package let name: String
    package let column: String
  }

  /// The flags that the verbs have of their own. A field whose flag would be one of them is given with `--set`.
  package static let reserved: Set<String> = [
    "as", "columns", "comment", "company", "database", "deleted", "dry-run", "help", "idempotency-key",
    "if-version",
    "limit", "output", "search", "set", "sort", "status", "version", "where",
  ]

  /// The word for several records, such as `trees` or `entries`.
  package var many: String {
    name.hasSuffix("y") ? "\(name.dropLast())ies" : "\(name)s"
  }

  /// The flag by which commands take a field: as the manifest names it, else the column in kebab case, of a reference
  /// without `_id`.
  package func flag(of column: String, isReference: Bool) -> String {
    if let named = flags.first(where: { $0.column == column }) { return named.name }
    let bare = isReference && column.hasSuffix("_id") ? String(column.dropLast(3)) : column
    return bare.split(separator: "_").joined(separator: "-")
  }
}

extension CommandNoun: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case name, about, columns, sort, limit, arguments, flags, filters
  }

  package init(from decoder: any Decoder) throws {
    if let word = try? decoder.singleValueContainer().decode(String.self) {  // an object is read below
      name = word
      (about, sort, limit) = (nil, nil, Self.usualLimit)
      (columns, arguments, flags, filters) = ([], [], [], [])
    } else {
      let object = try StrictObject(decoder, keys: CodingKeys.allCases.map(\.rawValue))
      name = try object.required("name")
      about = try object.optional("about")
      columns = try object.value("columns", default: [])
      sort = try object.optional("sort")
      limit = try object.value("limit", default: Self.usualLimit)
      arguments = try object.value("arguments", default: [])
      flags = try Self.flags(object.value("flags", default: [:]))
      filters = try Self.flags(object.value("filters", default: [:]))
      guard (1...10_000).contains(limit) else { throw object.invalid("limit", "The limit is 1 to 10,000") }
    }
    for flag in flags + filters where Self.reserved.contains(flag.name) {
      throw DomainError(
        .invalidDocument,
        "the flag --\(flag.name) has another meaning already",
        hint: "choose another word for \(flag.column)"
      )
    }
    for word in [name] + (flags + filters).map(\.name) where !Self.isWord(word) {
      throw DomainError(
        .invalidDocument,
        "\(Quoted(word)) is not a word of the command line",
        hint: "write a-z, 0-9 and - after a letter"
      )
    }
  }

  private static let usualLimit = 100

  private static func flags(_ columns: [String: String]) -> [Flag] {
    columns.sorted { $0.key < $1.key }.map { Flag(name: $0.key, column: $0.value) }
  }

  private static func isWord(_ text: String) -> Bool {
    guard let first = text.utf8.first, (0x61...0x7A).contains(first), text.utf8.count <= 40 else {
      return false
    }
    return text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(about, forKey: .about)
    try container.encode(columns, forKey: .columns)
    try container.encodeIfPresent(sort, forKey: .sort)
    try container.encode(limit, forKey: .limit)
    try container.encode(arguments, forKey: .arguments)
    try container.encode(Dictionary(flags.map { ($0.name, $0.column) }) { first, _ in first }, forKey: .flags)
    try container.encode(
      Dictionary(filters.map { ($0.name, $0.column) }) { first, _ in first },
      forKey: .filters
    )
  }
}
