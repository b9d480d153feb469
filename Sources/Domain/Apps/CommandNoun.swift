/// The noun by which the command line names a record type: `fettle entry list`.
///
/// ```yaml
/// command: entry                                 # the noun alone, or with more keys:
/// command:
///   name: entry
///   about: Manage maintenance entries            # abstract of the help
///   columns: [number, machine_code, status, id]  # columns that `list` shows to people
///   sort: -reported_on                           # order of `list`; - for descending
///   limit: 50                                    # rows that `list` shows
///   arguments: [description]                     # fields that `add` requires without a flag, in this order
///   flags: { estimate: estimated_hours }         # other names for the flags of fields
///   filters: { reporter: created_by_name }       # flags of `list` besides --status, --search and the references
///   examples: { show: WO-1003 }                  # arguments of a verb in its help
/// ```
package struct CommandNoun: Sendable, Hashable {
  /// The word on the command line.
  package let name: String
  /// The abstract in the noun's help; nil for "Manage" and the type's plural.
  package let about: String?
  /// The columns of the view that a list shows to people; empty for those that the type suggests.
  package let columns: [String]
  /// The column by which a list is sorted, with `-` in front for descending order; nil for the newest first.
  package let sort: String?
  /// The default of `--limit` in a list, 1 to 10,000 rows.
  package let limit: Int
  /// The fields that `add` requires as arguments instead of flags, in this order.
  package let arguments: [String]
  /// The flags whose names differ from those of their columns.
  package let flags: [Flag]
  /// The flags of `list` that compare a column of the view.
  package let filters: [Flag]
  /// The arguments in the examples of the help, by verb.
  package let examples: [String: String]

  /// A flag on the command line and the column that it stands for.
  package struct Flag: Sendable, Hashable {
    package let name: String
    package let column: String
  }

  /// The rows that a list shows unless the manifest or the user sets another number.
  package static let usualLimit = 100

  /// Returns the flag of a field: the manifest's name, or the column in kebab case.
  ///
  /// - Parameter isReference: true to remove the `_id` at the end of the column.
  package func flag(of column: String, isReference: Bool) -> String {
    if let named = flags.first(where: { $0.column == column }) { return named.name }
    let bare = isReference && column.hasSuffix("_id") ? String(column.dropLast(3)) : column
    return bare.split(separator: "_").joined(separator: "-")
  }
}

extension CommandNoun: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case name, about, columns, sort, limit, arguments, flags, filters, examples
  }

  package init(from decoder: any Decoder) throws {
    if let word = try? decoder.singleValueContainer().decode(String.self) {  // a mapping is read below
      name = word
      (about, sort, limit) = (nil, nil, Self.usualLimit)
      (columns, arguments, flags, filters, examples) = ([], [], [], [], [:])
      return
    }
    let object = try StrictObject(decoder, keys: CodingKeys.allCases.map(\.rawValue))
    name = try object.required("name")
    about = try object.optional("about")
    columns = try object.value("columns", default: [])
    sort = try object.optional("sort")
    limit = try object.value("limit", default: Self.usualLimit)
    arguments = try object.value("arguments", default: [])
    flags = try Self.flags(object.value("flags", default: [:]))
    filters = try Self.flags(object.value("filters", default: [:]))
    examples = try object.value("examples", default: [:])
    guard (1...10_000).contains(limit) else {
      throw object.invalid("limit", "limit must be 1 to 10000, not \(limit)")
    }
  }

  private static func flags(_ columns: [String: String]) -> [Flag] {
    columns.sorted { $0.key < $1.key }.map { Flag(name: $0.key, column: $0.value) }
  }

  package func encode(to encoder: any Encoder) throws {
    func columns(_ flags: [Flag]) -> [String: String] {
      Dictionary(flags.map { ($0.name, $0.column) }) { first, _ in first }
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(about, forKey: .about)
    try container.encode(self.columns, forKey: .columns)
    try container.encodeIfPresent(sort, forKey: .sort)
    try container.encode(limit, forKey: .limit)
    try container.encode(arguments, forKey: .arguments)
    try container.encode(columns(flags), forKey: .flags)
    try container.encode(columns(filters), forKey: .filters)
    try container.encode(examples, forKey: .examples)
  }
}
