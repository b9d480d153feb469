internal import Domain
internal import Engine
internal import SyncProtocol

/// The schemas of synchronisation for the document.
enum SyncSchemas {
  private static let mutation = Schema.object([
    Schema.Member("no", .integer(SyncBounds.numbers), "Assigned by the device, ascending, never used again"),
    Schema.Member("type", .string), Schema.Member("id", .uuid, "The record"),
    Schema.Member("op", .enumeration(SyncOperation.allCases.map(\.rawValue))),
    .optional("base_version", .integer(SyncBounds.numbers), "Version that the device knew; for patch"),
    .optional("fields", .anyObject), .optional("transition", .string), .optional("comment", .string),
    .optional("client_time", .time),
    .optional(
      "file",
      .object([
        Schema.Member("id", .uuid, "Chosen by the device; the id of the upload and of the file"),
        Schema.Member("kind", .string, "Kind of file, from the manifest of the record's type"),
        Schema.Member("name", .text(maximum: 200)), Schema.Member("size", .integer(minimum: 1)),
        .optional("sha256", .string, "SHA-256 of the bytes, in hexadecimal"),
      ]),
      "For attach; the bytes follow with PATCH /v1/uploads/{id} once the change is applied"
    ),
  ])

  private static let queue = Schema.object([
    .optional("pending", .integer(SyncBounds.counts), "Waiting changes that are not part of this request"),
    .optional("failed", .integer(SyncBounds.counts), "Failed changes that the server has not judged"),
    .optional("oldest", .time),
    .optional(
      "items",
      .array(
        of: .object([
          Schema.Member("no", .integer(SyncBounds.numbers)),
          Schema.Member("status", .enumeration(["pending", "uploading", "failed"])),
          .optional("attempts", .integer(SyncBounds.counts)), Schema.Member("type", .string),
          Schema.Member("id", .uuid),
          Schema.Member("op", .enumeration(SyncOperation.allCases.map(\.rawValue))),
        ]),
        maximum: PushEnvelope.mostQueued
      ),
      "Waiting changes whose status or attempts changed"
    ),
  ])

  static let push = Schema.object([
    Schema.Member("device_id", .uuid), .optional("epoch", .uuid, "The epoch of the last answer"),
    .optional("schema_version", .integer(SyncBounds.schemaVersions)),
    .optional(
      "confirmed_no",
      .integer(SyncBounds.counts),
      "Number up to which the device has stored every answer"
    ),
    .optional("queue", queue),
    .optional("mutations", .array(of: mutation, maximum: PushEnvelope.mostMutations)),
  ])

  static let exchange = Schema.object([
    Schema.Member("push", push), .optional("cursor", .string, "The cursor of the last answer; none to begin"),
    .optional("limit", .integer(minimum: 1, maximum: Int64(SyncPull.mostChanges))),
  ])

  private static let result = Schema.object([
    Schema.Member("no", .integer(minimum: 1)),
    Schema.Member("result", .enumeration(PushResult.Kind.allCases.map(\.rawValue))),
    .optional("version", .integer(minimum: 1)), .optional("code", .string), .optional("detail", .string),
    .optional("fields", .array(of: .string), "Fields in conflict"),
    .optional("server", .anyObject, "The server's record"), .optional("allowed", .array(of: .string)),
    .optional("blocked_by", .integer(minimum: 1), "Number of the earlier change that waits for a person"),
    .optional("retry_after_ms", .integer(minimum: 0)), .optional("replayed", .boolean),
  ])

  static let pushed = Schema.object([
    Schema.Member("results", .array(of: result)),
    Schema.Member(
      "retry",
      .array(of: .integer(minimum: 1)),
      "Failed changes that the device shall send again"
    ),
    Schema.Member("epoch", .uuid),
    Schema.Member("checkpoint", .integer(minimum: 0), "Pulled up to it, a device has the effects"),
  ])

  static let page = Schema.object([
    Schema.Member(
      "changes",
      .array(
        of: .object([
          Schema.Member("seq", .integer(minimum: 1)), .optional("scope", .string),
          Schema.Member("type", .string),
          Schema.Member("id", .uuid), Schema.Member("op", .enumeration(["put", "delete", "leave"])),
          Schema.Member("version", .integer(minimum: 0)), .optional("fields", .anyObject),
          .optional("files", .array(of: .anyObject), "The record's files, of a type with files"),
        ])
      )
    ), Schema.Member("cursor", .string), Schema.Member("has_more", .boolean),
    Schema.Member("checkpoint", .integer(minimum: 0)), Schema.Member("acked_no", .integer(minimum: 0)),
    Schema.Member("epoch", .uuid),
    .optional("removed_scopes", .array(of: .string), "The device drops the records of these"),
    .optional(
      "restarted_scopes",
      .array(of: .string),
      "The device drops records of these that are not sent again"
    ),
    .optional("retry", .array(of: .integer(minimum: 1))),
    .optional(
      "own",
      .array(
        of: .object([
          Schema.Member("type", .string), Schema.Member("count", .integer(minimum: 0)),
          Schema.Member("checksum", .string),
        ])
      )
    ),
  ])

  static let device = Schema.object([
    Schema.Member("id", .uuid), Schema.Member("user_id", .uuid), Schema.Member("user", .string),
    Schema.Member("name", .string),
    Schema.Member("app", .nullable(.string)), Schema.Member("platform", .string),
    Schema.Member("app_version", .string), Schema.Member("schema_version", .integer(minimum: 1)),
    .optional("done_days", .integer(Devices.doneDays)), Schema.Member("max_no", .integer(minimum: 0)),
    Schema.Member("confirmed_no", .integer(minimum: 0)),
    Schema.Member(
      "queue",
      .object([
        Schema.Member("pending", .integer(minimum: 0)), Schema.Member("failed", .integer(minimum: 0)),
        Schema.Member("oldest", .nullable(.time)),
      ])
    ),
    .optional(
      "waiting",
      .object([
        Schema.Member("conflicts", .integer(minimum: 0)), Schema.Member("failed", .integer(minimum: 0)),
      ]),
      "Changes that wait for a person, with those of private records that only their owner sees; in the status"
    ), Schema.Member("last_push_at", .nullable(.time)), Schema.Member("last_pull_at", .nullable(.time)),
    Schema.Member("created_at", .time), Schema.Member("revoked_at", .nullable(.time)),
  ])

  static let item = Schema.object([
    Schema.Member("device_id", .uuid), Schema.Member("no", .integer(minimum: 1)),
    Schema.Member("status", .string), Schema.Member("attempts", .integer(minimum: 0)),
    Schema.Member("type", .string), Schema.Member("id", .uuid), Schema.Member("op", .string),
    Schema.Member("code", .nullable(.string)), Schema.Member("mutation", .nullable(.anyObject)),
    Schema.Member("answer", .nullable(.anyObject)), Schema.Member("retry_wanted", .boolean),
    Schema.Member("first_at", .time), Schema.Member("updated_at", .time),
    .optional("version", .integer(minimum: 1), "Of a conflict: the version of the record now"),
    .optional("record_status", .string, "Of a conflict: the status of the record now"),
    .optional("fields", .array(of: field), "Of a conflict: the fields of the change beside the record's"),
  ])

  private static let value = Schema.raw([:])

  private static let field = Schema.object([
    Schema.Member("name", .string), Schema.Member("yours", value), Schema.Member("server", value),
    .optional("base", value, "The value that the device knew; absent if that cannot be told"),
    Schema.Member("in_conflict", .boolean),
    .optional("by", .nullable(.string), "Who changed the field last since then"),
    .optional("by_id", .nullable(.uuid)), .optional("at", .nullable(.time)),
  ])
}
