internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store

/// The routes of imports that were made: their list, and taking one back.
extension RecordRoutes {
  private static let tag = "imports"

  private static let schema = Schema.object([
    Schema.Member("number", .integer(minimum: 1)), Schema.Member("at", .time),
    Schema.Member("type", .string), Schema.Member("file", .string),
    Schema.Member("imported", .integer(minimum: 0)), Schema.Member("changed", .integer(minimum: 0)),
    Schema.Member("created", .integer(minimum: 0), "Records of other types"),
    Schema.Member("actor", .string), Schema.Member("undone_at", .nullable(.time)),
    Schema.Member("undone_by", .nullable(.string)),
  ])

  var importRoutes: [Route] { [imports, undoImport] }

  private var imports: Route {
    Route(
      .get,
      "/v1/imports",
      Operation(
        "listImports",
        tag: Self.tag,
        "List the newest 100 imports of types that the caller may read",
        answers: [Operation.Answer(200, "The imports", ListAnswer.schema(of: Self.schema))]
      )
    ) { request in
      let rows = try await Imports(services, records).newest(try request.acting())
      return ListAnswer.page(
        rows.map { row in
          [
            "number": .integer(row.number), "at": .string(row.at.rfc3339), "type": .string(row.type),
            "file": .string(row.file), "imported": .integer(row.imported), "changed": .integer(row.changed),
            "created": .integer(row.created), "actor": .string(row.actor),
            "undone_at": JSONCell.text(row.undoneAt?.rfc3339), "undone_by": JSONCell.text(row.undoneBy),
          ]
        }
      )
    }
  }

  private var undoImport: Route {
    Route(
      .post,
      "/v1/imports/{import}/undo",
      Operation(
        "undoImport",
        tag: Self.tag,
        "Remove the records that an import created, unless something has touched them since",
        path: ["import": .integer(1...Int64.max)],
        request: .object([.optional("dry_run", .boolean, "Only counts the records")]),
        answers: [
          Operation.Answer(
            200,
            "What was removed",
            .object([
              Schema.Member("number", .integer(minimum: 1)), Schema.Member("type", .string),
              Schema.Member("removed", .anyObject, "Numbers of records by type"),
              Schema.Member("already_deleted", .integer(minimum: 0)),
              Schema.Member("changed", .integer(minimum: 0), "Existing records, which stay as they are"),
            ])
          )
        ],
        errors: [.stale, .wrongState, .stillReferenced]
      )
    ) { request in
      let body = try RequestMembers(request)
      guard let number = Int64(try request.parameter("import")), number > 0 else {
        throw DomainError(.notFound, "there is no such import", hint: "list them with GET /v1/imports")
      }
      let undone = try await Imports(services, records).undo(
        try request.acting(),
        number: number,
        dryRun: try body.optionalBool("dry_run") ?? false
      )
      let removed = undone.removed.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.integer($0.value)) }
      return .json([
        "number": .integer(undone.number), "type": .string(undone.type),
        "removed": .object(JSONObject(removed)), "already_deleted": .integer(undone.alreadyDeleted),
        "changed": .integer(undone.changed),
      ])
    }
  }
}
