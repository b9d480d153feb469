internal import Domain

/// The descriptions of the routes of records. The document has one path for each installed type.
enum RecordOperations {
  static let tag = "records"

  static let key = Operation.Parameter(
    "Idempotency-Key",
    in: .header,
    "A repeated request with the key gets the first answer, for seven days.",
    .text(maximum: WriteOptions.longestKey)
  )
  static let ifMatch = Operation.Parameter(
    "If-Match",
    in: .header,
    "The ETag that the client has read. Another version of the record is refused."
  )
  static let ifNoneMatch = Operation.Parameter(
    "If-None-Match",
    in: .header,
    "The ETag that the client has. It gets 304 if the record is the same."
  )
  static let dryRun = Operation.Parameter("dry_run", "Decide, but write nothing.", .boolean)
  static let deleted = Operation.Parameter("deleted", "Tombstones instead of live records.", .boolean)
  static let fields = Operation.Parameter("fields", "The columns to return, separated by commas.")
  static let conditions = [
    Operation.Parameter(
      "where",
      "A condition: `column=value`, with `!=`, `<`, `<=`, `>`, `>=`, `~`, `is null`, `is not null`, `in a,b`.",
      isRepeatable: true
    ),
    Operation.Parameter(
      "q",
      "A text that a search column contains.",
      .text(maximum: QueryReader.longestSearch)
    ),
  ]

  static func limit(_ most: Int, default size: Int) -> Operation.Parameter {
    Operation.Parameter(
      "limit",
      "The number of records. Default: \(size). More than \(most) counts as \(most).",
      .integer(minimum: 1)
    )
  }

  /// The result of a command on one record.
  static let result = Schema.object([
    Schema.Member("type", .string), Schema.Member("id", .uuid), Schema.Member("number", .nullable(.string)),
    Schema.Member("version", .integer(minimum: 1)), Schema.Member("status", .nullable(.string)),
    Schema.Member("cascaded", .anyObject, "Numbers of records deleted or restored with it, by type."),
    Schema.Member("dry_run", .boolean),
  ])

  static let list = Operation(
    "listRecords",
    tag: tag,
    "List records",
    parameters: conditions + [
      Operation.Parameter("sort", "Columns separated by commas, each descending with a leading `-`."),
      limit(QueryReader.mostRecords, default: QueryReader.defaultLimit),
      Operation.Parameter("after", "The cursor `next` of the previous page."), deleted,
      Operation.Parameter("include", "`allowed` adds the possible actions.", .enumeration(["allowed"])),
      fields,
    ],
    hasOpenQuery: true,
    answers: [Operation.Answer(200, "A page of records.", .component("record.page"))],
    errors: [.valueTooLong, .invalidID, .invalidDate, .invalidTime, .invalidInstant, .invalidNumber]
  )

  static let show = Operation(
    "showRecord",
    tag: tag,
    "Show a record",
    parameters: [
      deleted, fields,
      Operation.Parameter("include", "`allowed` is always included.", .enumeration(["allowed"])), ifNoneMatch,
    ],
    answers: [
      Operation.Answer(200, "The record.", .component("record")),
      Operation.Answer(304, "The client has the current record."),
    ]
  )
}
