package import Domain
package import Engine
package import FoundationEssentials
internal import Store
internal import Terminal

/// The actions on records that all nouns share.
package struct RecordActions {
  package let options: RecordOptions
  package let type: String

  package init(options: RecordOptions, type: String) {
    self.options = options
    self.type = type
  }

  /// Prints one record and its allowed actions.
  package func show(_ name: String, deleted: Bool = false) async throws {
    try await options.company.withRecord(name, type: type, deleted: deleted) { records, acting, id in
      let document = try await records.show(acting, type: type, id: id, deleted: deleted)
      var table = RecordTable(type: try records.known(type, of: acting.company.id))
      guard options.output.output == .table else {
        return try options.output.printRecord(table.fields(document))
      }
      table.references = try await records.referenceNames(acting, type: type, in: [document])
      guard options.output.isForPeople else { return try options.output.printRecord(table.fields(document)) }
      try options.output.printRecord(table.groups(document))
    }
  }

  /// Creates a record from fields. A reference may be the name of a record instead of its id.
  ///
  /// - Parameter byClock: fields that the command has filled with the present time, which a repetition with the
  ///   idempotency key need not have again.
  package func create(
    _ change: ChangeOptions,
    _ fields: JSONObject,
    id: UUID? = nil,
    byClock: Set<String> = []
  ) async throws {
    try await create(change, id: id, byClock: byClock) { _ in fields }
  }

  /// Creates a record from fields that depend on the acting context, such as today's date in the company's
  /// time zone.
  package func create(
    _ change: ChangeOptions,
    id: UUID? = nil,
    byClock: Set<String> = [],
    _ fields: (Opening) throws -> JSONObject
  ) async throws {
    try await options.company.withOpening { opening in
      let (records, acting) = (opening.records, opening.acting)
      let fields = try fields(opening)
      let words = [type, "create", id?.text]
      let told = JSONObject(fields.members.filter { !byClock.contains($0.key) }.map { ($0.key, $0.value) })
      let written = WrittenRequest(key: change.idempotencyKey, words, fields: .object(told))
      let answer = try await records.once(acting, written) {
        try await records.create(
          acting,
          type: type,
          id: id,
          fields: try await records.resolvingNames(in: fields, type: type, acting),
          key: change.idempotencyKey,
          byClock: byClock,
          dryRun: change.dryRun
        )
      }
      let isNamed = answer.number == nil && options.output.isForPeople && !change.dryRun
      let key = isNamed ? try await records.key(acting, type: type, of: answer.id) : nil
      let named = "\(type) \(answer.number ?? key ?? answer.id.text)"
      try report(answer, "created", named, change, in: records, of: acting.company.id)
    }
  }

  /// Changes fields of a record.
  package func update(_ change: ChangeOptions, _ name: String, _ fields: JSONObject, version: Int64?)
    async throws
  {
    let words = ["update", version.map { "\($0)" }]
    try await perform("updated", on: name, change, words, fields) { records, acting, id in
      try await records.update(
        acting,
        type: type,
        id: id,
        fields: try await records.resolvingNames(in: fields, type: type, acting),
        version: version,
        key: change.idempotencyKey,
        dryRun: change.dryRun
      )
    }
  }

  /// Performs a transition on a record.
  package func transition(_ change: ChangeOptions, _ name: String, _ request: TransitionRequest) async throws
  {
    let words = ["do", request.transition, request.comment, request.expectedVersion.map { "\($0)" }]
    try await perform(request.transition, on: name, change, words, request.fields) { records, acting, id in
      try await records.transition(
        acting,
        type: type,
        id: id,
        request: request.with(try await records.resolvingNames(in: request.fields, type: type, acting)),
        key: change.idempotencyKey,
        dryRun: change.dryRun
      )
    }
  }

  /// Deletes a record and its dependent records; a tombstone remains.
  package func delete(_ change: ChangeOptions, _ name: String, _ reason: RemovalOptions) async throws {
    let words = ["delete", reason.comment, reason.ifVersion.map { "\($0)" }]
    try await perform("deleted", on: name, change, words) { records, acting, id in
      try await records.delete(
        acting,
        type: type,
        id: id,
        version: reason.ifVersion,
        comment: reason.comment,
        key: change.idempotencyKey,
        dryRun: change.dryRun
      )
    }
  }

  /// Restores a deleted record and the records that were deleted with it.
  package func restore(_ change: ChangeOptions, _ name: String, _ reason: RemovalOptions) async throws {
    let words = ["restore", reason.comment, reason.ifVersion.map { "\($0)" }]
    try await perform("restored", on: name, isDeleted: true, change, words) { records, acting, id in
      try await records.restore(
        acting,
        type: type,
        id: id,
        version: reason.ifVersion,
        comment: reason.comment,
        key: change.idempotencyKey,
        dryRun: change.dryRun
      )
    }
  }

  /// Performs a command on a record, once for its idempotency key, and reports the answer.
  ///
  /// - Parameter words: the words of the command, with ``type`` and the name of the record; a repetition has them too.
  private func perform(
    _ done: String,
    on name: String,
    isDeleted: Bool = false,
    _ change: ChangeOptions,
    _ words: [String?],
    _ fields: JSONObject = [:],
    _ body: (Records, ActingContext, UUID) async throws -> RecordAnswer
  ) async throws {
    let written = WrittenRequest(
      key: change.idempotencyKey,
      [type, name] + words,
      fields: .object(fields)
    )
    guard let written else {
      return try await options.company.withRecord(name, type: type, deleted: isDeleted) {
        try report(try await body($0, $1, $2), done, name, change, in: $0, of: $1.company.id)
      }
    }
    try await options.company.withOpening { opening in
      let (records, acting) = (opening.records, opening.acting)
      let answer = try await records.once(acting, written) {
        try await body(
          records,
          acting,
          try await records.resolve(acting, type: type, name, deleted: isDeleted)
        )
      }
      try report(answer, done, name, change, in: records, of: acting.company.id)
    }
  }

  /// Prints the history of a record.
  ///
  /// - Parameter deleted: true for a deleted record.
  package func history(_ name: String, deleted: Bool = false) async throws {
    try await options.company.withRecord(name, type: type, deleted: deleted) { records, acting, id in
      let lines = try await records.history(acting, type: type, id: id, deleted: deleted)
      let changes = lines.map(HistoryTable.changes)
      let table = HistoryTable(
        type: try records.known(type, of: acting.company.id),
        references: try await records.referenceNames(acting, type: type, in: changes),
        isForPeople: options.output.output == .table
      )
      try options.output.print(
        table.table(lines),
        // The status before is that of the line above.
        forPeople: ["seq", "at", "what", "to", "who", "summary", "comment"]
      )
    }
  }

  /// - Parameter name: the record's display name; the id of a new record that has neither number nor key.
  private func report(
    _ answer: RecordAnswer,
    _ verb: String,
    _ name: String,
    _ change: ChangeOptions,
    in records: Records,
    of company: UUID
  ) throws {
    let labels = StateLabels(try records.known(type, of: company))
    let status: String = answer.status.map { ", now \(labels[$0])" } ?? ""
    let along = (answer.along ?? [:]).sorted { $0.key < $1.key }
    let others =
      along.isEmpty ? "" : "; with it \(along.map { "\($0.value) \($0.key)" }.joined(separator: ", "))"
    try options.output.report(
      "\(change.dryRun ? "would be: " : "")\(verb) \(name)\(status) (version \(answer.version))\(others)",
      [
        (Column("type"), .string(answer.type)), (Column("id"), Cell(answer.id)),
        (Column("number"), .optional(answer.number)),
        (Column("version"), .integer(answer.version)), (Column("status"), .optional(answer.status)),
        (Column("cascaded"), .nested(along.map { .init($0.key, .integer($0.value)) })),
        (Column("dry_run"), .bool(change.dryRun)),
      ]
    )
  }
}
