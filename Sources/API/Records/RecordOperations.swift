internal import Domain

/// The descriptions of the routes of records. The document has one path for each installed type.
enum RecordOperations {
  private static let tag = "records"

  private static let key = Operation.Parameter(
    "Idempotency-Key",
    in: .header,
    "A repeated request with the key gets the first answer, for seven days.",
    .text(maximum: WriteOptions.longestKey)
  )
  private static let ifMatch = Operation.Parameter(
    "If-Match",
    in: .header,
    "The ETag that the client has read. Another version of the record is refused."
  )
  private static let ifNoneMatch = Operation.Parameter(
    "If-None-Match",
    in: .header,
    "The ETag that the client has. It gets 304 if the record is the same."
  )
  private static let dryRun = Operation.Parameter("dry_run", "Decide, but write nothing.", .boolean)
  private static let deleted = Operation.Parameter("deleted", "Tombstones instead of live records.", .boolean)
  private static let fields = Operation.Parameter("fields", "The columns to return, separated by commas.")
  private static let conditions = [
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

  private static func limit(_ most: Int, default size: Int) -> Operation.Parameter {
    Operation.Parameter(
      "limit",
      "The number of records. Default: \(size). More than \(most) counts as \(most).",
      .integer(minimum: 1)
    )
  }

  private static let write: [ErrorCode] = [
    .idempotencyConflict, .stale, .missingFields, .unknownFields, .fieldNotEditable, .quotaExceeded,
  ]

  /// The result of a command on one record.
  static let result = Schema.object([
    Schema.Member("type", .string), Schema.Member("id", .uuid), Schema.Member("number", .nullable(.string)),
    Schema.Member("version", .integer(minimum: 1)), Schema.Member("status", .nullable(.string)),
    Schema.Member("along", .anyObject, "Numbers of records deleted or restored along, by type."),
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
    answers: [Operation.Answer(200, "A page of records.", .component("record.page"))]
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

  static let create = Operation(
    "createRecord",
    tag: tag,
    "Create a record",
    parameters: [dryRun, key],
    request: .component("record.create"),
    answers: [
      Operation.Answer(201, "The record was created.", result),
      Operation.Answer(200, "The record would be created (dry_run).", result),
    ],
    errors: write + [.notFound, .alreadyExists, .parentDeleted]
  )

  static let update = Operation(
    "updateRecord",
    tag: tag,
    "Change fields of a record",
    parameters: [dryRun, key, ifMatch],
    request: .component("record.patch"),
    answers: [Operation.Answer(200, "The record was changed.", result)],
    errors: write + [.alreadyExists, .parentDeleted]
  )

  static let delete = Operation(
    "deleteRecord",
    tag: tag,
    "Delete a record and those that belong to it",
    parameters: [
      dryRun, key, ifMatch,
      Operation.Parameter(
        "comment",
        "The reason, for the history.",
        .text(maximum: TransitionRequest.longestComment)
      ),
    ],
    answers: [Operation.Answer(200, "The record was deleted.", result)],
    errors: [.idempotencyConflict, .stale, .stillReferenced]
  )

  static let restore = Operation(
    "restoreRecord",
    tag: tag,
    "Restore a deleted record",
    parameters: [dryRun, key, ifMatch],
    request: .object([.optional("comment", .string), .optional("version", .integer(minimum: 1))]),
    answers: [Operation.Answer(200, "The record was restored.", result)],
    errors: [.idempotencyConflict, .stale, .wrongState, .parentDeleted, .alreadyExists, .quotaExceeded]
  )

  private static let change = Schema.object(
    [.optional("comment", .string), .optional("version", .integer(minimum: 1))],
    open: true
  )

  static let transition = Operation(
    "transitionRecord",
    tag: tag,
    "Apply a transition to a record",
    parameters: [dryRun, key, ifMatch],
    request: change,
    answers: [Operation.Answer(200, "The transition was applied.", result)],
    errors: write + [.unknownTransition, .wrongState, .guardRefused, .fourEyes, .transitionDisabled]
  )

  static let transitionAll = Operation(
    "transitionRecords",
    tag: tag,
    "Apply a transition to all records that match",
    parameters: conditions + [
      limit(RecordRoutes.mostTransitioned, default: RecordRoutes.mostTransitioned), dryRun, key,
    ],
    request: .object([.optional("comment", .string)], open: true),
    answers: [
      Operation.Answer(
        200,
        "The result for each record.",
        .object([
          Schema.Member(
            "items",
            .array(
              of: .object([
                Schema.Member("record", .string), Schema.Member("result", .string),
                Schema.Member("status", .nullable(.string)), Schema.Member("version", .nullable(.integer())),
                Schema.Member("code", .nullable(.string)), Schema.Member("reason", .nullable(.string)),
                Schema.Member("id", .uuid),
              ])
            )
          ), Schema.Member("done", .integer(minimum: 0)), Schema.Member("refused", .integer(minimum: 0)),
          Schema.Member("dry_run", .boolean),
        ])
      )
    ],
    errors: [.idempotencyConflict, .missingFields, .unknownFields]
  )

  static let history = Operation(
    "showRecordHistory",
    tag: tag,
    "Show the history of a record, oldest first",
    parameters: [
      limit(QueryReader.mostRecords, default: QueryReader.defaultLimit),
      Operation.Parameter(
        "after",
        "The number of the last entry of the previous page.",
        .integer(minimum: 1)
      ),
    ],
    answers: [
      Operation.Answer(
        200,
        "A page of entries.",
        .object([
          Schema.Member(
            "items",
            .array(
              of: .object([
                Schema.Member("seq", .integer(minimum: 1)), Schema.Member("at", .time),
                Schema.Member("kind", .string),
                Schema.Member("transition", .nullable(.string)), Schema.Member("from", .nullable(.string)),
                Schema.Member("to", .nullable(.string)), Schema.Member("actor_kind", .string),
                Schema.Member("actor", .string), Schema.Member("on_behalf_of", .nullable(.string)),
                Schema.Member("comment", .nullable(.string)), Schema.Member("changes", .anyObject),
              ])
            )
          ), .optional("next", .string),
        ])
      )
    ]
  )

  static let explain = Operation(
    "explainRecord",
    tag: tag,
    "Explain whether an action is permitted",
    parameters: [
      Operation.Parameter("do", "A verb such as `update`, a transition, or a permission.", isRequired: true),
      Operation.Parameter("member", "Another member, by e-mail address. Requires role.read."),
    ],
    answers: [
      Operation.Answer(
        200,
        "The checks that decide.",
        .object([
          Schema.Member("member", .string), Schema.Member("permission", .string),
          Schema.Member("allowed", .boolean),
          Schema.Member("code", .nullable(.string)), Schema.Member("steps", .array(of: .anyObject)),
        ])
      )
    ],
    errors: [.unknownPermission, .missingFields]
  )

  static let comments = Operation(
    "listRecordComments",
    tag: tag,
    "List the comments on a record, oldest first",
    answers: [
      Operation.Answer(
        200,
        "All comments.",
        .object([
          Schema.Member(
            "items",
            .array(
              of: .object([
                Schema.Member("id", .uuid), Schema.Member("body", .string), Schema.Member("author", .string),
                Schema.Member("author_id", .nullable(.uuid)), Schema.Member("mentions", .array(of: .uuid)),
                Schema.Member("created_at", .time), Schema.Member("edited_at", .nullable(.time)),
              ])
            )
          )
        ])
      )
    ]
  )

  private static let said = Schema.object([
    Schema.Member("id", .uuid), Schema.Member("mentioned", .array(of: .string)),
    Schema.Member("unknown", .array(of: .string), "Mentioned handles that belong to no member."),
  ])

  static let say = Operation(
    "commentRecord",
    tag: tag,
    "Comment on a record",
    parameters: [dryRun, key],
    request: .object([.optional("id", .uuid), Schema.Member("body", .text(maximum: 10_000))]),
    answers: [
      Operation.Answer(201, "The comment was added.", said),
      Operation.Answer(200, "The comment would be added (dry_run).", said),
    ],
    errors: [.idempotencyConflict, .missingFields, .valueTooLong]
  )

  static let editComment = Operation(
    "editRecordComment",
    tag: tag,
    "Edit a comment of one's own",
    request: .object([Schema.Member("body", .text(maximum: 10_000))]),
    answers: [Operation.Answer(200, "The comment was changed.", said)],
    errors: [.missingFields, .valueTooLong]
  )

  static let withdrawComment = Operation(
    "withdrawRecordComment",
    tag: tag,
    "Withdraw a comment",
    answers: [Operation.Answer(204, "The comment was withdrawn.")]
  )

  private static let watchers = Schema.object([
    Schema.Member("id", .uuid), Schema.Member("watchers", .array(of: .string)),
  ])

  static let watch = Operation(
    "watchRecord",
    tag: tag,
    "Watch a record",
    answers: [Operation.Answer(200, "The watchers.", watchers)]
  )

  static let unwatch = Operation(
    "unwatchRecord",
    tag: tag,
    "Stop watching a record",
    answers: [Operation.Answer(200, "The watchers.", watchers)]
  )

  static let batch = Operation(
    "applyBatch",
    tag: tag,
    "Apply operations on records, all or none",
    parameters: [dryRun, key],
    request: .object([
      Schema.Member(
        "operations",
        .array(
          of: .object([
            Schema.Member("op", .enumeration(["create", "update", "transition", "delete", "restore"])),
            Schema.Member("type", .string), Schema.Member("id", .uuid), .optional("fields", .anyObject),
            .optional("transition", .string), .optional("comment", .string),
            .optional("version", .integer(minimum: 1)),
          ]),
          maximum: RecordRoutes.mostOperations
        )
      )
    ]),
    answers: [
      Operation.Answer(200, "The results, in order.", .object([Schema.Member("items", .array(of: result))]))
    ],
    errors: write + [.notFound, .unknownType, .payloadTooLarge, .wrongState, .guardRefused]
  )
}
