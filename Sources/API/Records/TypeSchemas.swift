internal import Domain
internal import Store

/// The schemas of described types for the document.
enum TypeSchemas {
  static let types = Schema.object([
    Schema.Member("lang", .enumeration(Language.allCases.map(\.rawValue))),
    Schema.Member(
      "apps",
      .array(of: .object([Schema.Member("name", .string), Schema.Member("label", .string)]))
    ),
    Schema.Member("types", .array(of: type)),
  ])

  private static let names = Schema.array(of: .string)

  private static let type = Schema.object([
    Schema.Member("name", .string), Schema.Member("label", .string), Schema.Member("plural", .string),
    Schema.Member("new", .string, "Words of a button that makes a record"),
    Schema.Member("title", .string, "The column that represents a record"),
    .optional("number", .boolean, "True if records have a number, by which people name them"),
    .optional("key", names, "The columns of the natural key"),
    .optional("within", .string, "The column with the record within which names are unique"),
    .optional("private", .boolean, "True if only its creator sees a record"),
    Schema.Member("create", .boolean, "False if a use case of its own creates the records"),
    Schema.Member("sync", .string), .optional("list", names, "The columns of a list"),
    .optional("sort", .string), .optional("sorts", names), .optional("search", names),
    .optional("clock", names, "Columns that devices compute, because they depend on the time"),
    Schema.Member("owners", names, "The columns that name owners, for permissions with `.own`"),
    .optional("entitlement", .string), .optional("entitled", .boolean),
    Schema.Member("columns", .array(of: column), "Without the columns of every record"),
    .optional("edit", .array(of: rule), "An edit of a field needs one of these; without any, `update`"),
    .optional("files", .array(of: file)), .optional("workflow", workflow),
    .optional("children", .array(of: child), "The columns of other types that refer to this one"),
  ])

  private static let column = Schema.object([
    Schema.Member("name", .string), Schema.Member("kind", .string), .optional("list", .boolean),
    Schema.Member("label", .string), .optional("hint", .string),
    .optional("write", .enumeration(["always", "create"]), "Absent for a column that clients never write"),
    .optional("required", .boolean), .optional("max", .integer()), .optional("min", .integer()),
    .optional("whole", .integer(), "Digits before the point"),
    .optional("scale", .integer(), "Digits after the point; more are refused"),
    .optional("rounds", .boolean, "True if more digits are rounded instead"),
    .optional(
      "choices",
      .array(of: .object([Schema.Member("value", .raw([:])), Schema.Member("label", .string)]))
    ),
    .optional("to", .string, "The type to which the column refers"),
    .optional("part", .boolean, "True if the record is deleted together with that one"),
    .optional("with", names, "Columns that have the same values in both records"),
  ])

  private static let rule = Schema.object([
    Schema.Member("permission", .string), .optional("when", .string, "A predicate in SQL/JSON path notation"),
    .optional("fields", names),
  ])

  private static let file = Schema.object([
    Schema.Member("kind", .string), Schema.Member("max_bytes", .integer(minimum: 1)),
    .optional("max_count", .integer(minimum: 1)), Schema.Member("media", names),
  ])

  private static let child = Schema.object([
    Schema.Member("type", .string), Schema.Member("column", .string), .optional("part", .boolean),
  ])

  private static let workflow = Schema.object([
    Schema.Member("version", .integer(minimum: 1)), Schema.Member("initial", .string),
    Schema.Member(
      "states",
      .array(
        of: .object([
          Schema.Member("name", .string), Schema.Member("label", .string),
          Schema.Member("category", .string),
          Schema.Member("color", .string), .optional("final", .boolean),
        ])
      )
    ),
    .optional("transitions", .array(of: transition), "Those that people take, without disabled ones"),
  ])

  private static let transition = Schema.object([
    Schema.Member("name", .string), Schema.Member("label", .string), Schema.Member("from", names),
    Schema.Member("to", .string), .optional("permission", .string),
    .optional("fields", names, "Columns that must have a value"),
    .optional("times", names, "Columns whose time may be given"),
    .optional("comment", .integer(minimum: 1), "The minimum length of the comment"),
    .optional(
      "guards",
      .array(of: .object([Schema.Member("when", .string), Schema.Member("message", .string)]))
    ),
    .optional("distinct_from", names, "Columns that name members who may not take the transition"),
    .optional("set", .anyObject, "Columns that are set: `$now`, `$given`, `$actor` or a constant"),
  ])
}
