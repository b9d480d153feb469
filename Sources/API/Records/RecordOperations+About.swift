internal import Domain

/// The descriptions of the routes for the history, the comments and the watchers of a record.
extension RecordOperations {
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
      ), deleted,
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
}
