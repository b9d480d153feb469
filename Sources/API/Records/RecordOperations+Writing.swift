internal import Domain
internal import Engine

/// The descriptions of the routes that change records.
extension RecordOperations {
  private static let write: [ErrorCode] = [
    .idempotencyConflict, .stale, .missingFields, .unknownFields, .fieldNotEditable, .quotaExceeded,
    .invalidID, .invalidDate, .invalidTime, .invalidInstant, .invalidNumber,
  ]

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
    hasOpenQuery: true,
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
            Schema.Member("type", .string),
            Schema.Member(
              "id",
              .string,
              "The id of the new record, which the client chooses; otherwise the record's id, the beginning of its id, its "
                + "number or its key. Operations name a record that an earlier one creates by its id."
            ),
            .optional(
              "fields",
              .anyObject,
              "References take ids, and numbers and keys as in the requests for a single record."
            ),
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
