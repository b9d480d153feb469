internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

/// What every noun of the command line does with records; a noun adds only its own words.
struct RecordActions {
  let options: RecordOptions
  let type: String

  /// Prints a list.
  ///
  /// - Parameter columns: what people see unless they ask for others; programs get everything.
  func list(_ query: RecordQuery, columns: [String]) async throws {
    try await options.company.withSeat { services, seat in
      let records = try await Records.open(services)
      var query = query
      let limit = query.limit
      // What --where and --sort choose among is all there is, not what comes first.
      let output = options.output
      if !output.filters.isEmpty || output.sort != nil { query.limit = 100_000 }
      let recordType = try records.catalogue.type(type)
      let documents = try await records.list(seat, type: type, query)
      var table = try RecordTable(type: recordType).list(documents).filtered(by: output.filters)
      if let sort = output.sort { table = try table.sorted(by: sort) }
      let isCut = table.rows.count > limit || documents.count == limit
      table.rows = Array(table.rows.prefix(limit))
      if output.output == .table, output.columns == nil, !columns.isEmpty {
        let shown = columns.filter { $0 != "id" || !isNamed(table, recordType, columns) }
        table = ShortID.shortening(try table.selecting(shown.joined(separator: ",")), on: Screen.output)
      }
      try output.printAsIs(table)
      if isCut, output.output == .table { Message.tell("the first \(limit); --limit shows more") }
    }
  }

  /// Whether every row has the key by which people call such records, so that they need no id.
  private func isNamed(_ table: Table, _ recordType: RecordType, _ columns: [String]) -> Bool {
    guard let key = recordType.definition.key.last, columns.contains(key),
      let index = table.columns.firstIndex(where: { $0.key == key })
    else { return false }
    return table.rows.allSatisfy { $0[index] != .null }
  }

  /// Prints one record and what can be done with it.
  func show(_ name: String) async throws {
    try await options.company.withSeat { services, seat in
      let records = try await Records.open(services)
      let id = try await records.resolve(seat, type: type, name)
      let document = try await records.show(seat, type: type, id: id)
      let allowed = try await records.available(seat, type: type, id: id)
      let fields = RecordTable(type: try records.catalogue.type(type)).fields(document)
      try options.output.printRecord(fields + [(Column("allowed"), .list(allowed.map { .string($0) }))])
    }
  }

  /// Makes a record from fields; those that refer to another record may name it as people do.
  func create(_ change: ChangeOptions, _ fields: JSONObject, id: UUID? = nil) async throws {
    try await options.company.withSeat { services, seat in
      let records = try await Records.open(services)
      let named = try await records.resolvingNames(in: fields, type: type, seat)
      let answer = try await records.create(
        seat,
        type: type,
        id: id,
        fields: named,
        key: change.idempotencyKey,
        dryRun: change.dryRun
      )
      try report(answer, "created", "\(type) \(answer.id.text)", change)
    }
  }

  /// Changes fields of a record.
  func update(_ change: ChangeOptions, _ name: String, _ fields: JSONObject, version: Int64?) async throws {
    try await options.company.withSeat { services, seat in
      let records = try await Records.open(services)
      let id = try await records.resolve(seat, type: type, name)
      let named = try await records.resolvingNames(in: fields, type: type, seat)
      let answer = try await records.update(
        seat,
        type: type,
        id: id,
        fields: named,
        version: version,
        key: change.idempotencyKey,
        dryRun: change.dryRun
      )
      try report(answer, "updated", name, change)
    }
  }

  /// Takes a record through a transition.
  func transition(_ change: ChangeOptions, _ name: String, _ request: TransitionRequest) async throws {
    try await options.company.withSeat { services, seat in
      let records = try await Records.open(services)
      let id = try await records.resolve(seat, type: type, name)
      let answer = try await records.transition(
        seat,
        type: type,
        id: id,
        request: request,
        key: change.idempotencyKey,
        dryRun: change.dryRun
      )
      try report(answer, request.transition, name, change)
    }
  }

  /// Prints who did what to a record.
  func history(_ name: String) async throws {
    try await options.company.withSeat { services, seat in
      let records = try await Records.open(services)
      let id = try await records.resolve(seat, type: type, name)
      let lines = try await records.history(seat, type: type, id: id)
      try options.output.print(HistoryTable.table(lines))
    }
  }

  /// - Parameter name: what people call the record; a new one has its id only.
  private func report(_ answer: RecordAnswer, _ verb: String, _ name: String, _ change: ChangeOptions) throws
  {
    let status: String = answer.status.map { ", now \($0)" } ?? ""
    try options.output.report(
      "\(change.dryRun ? "would be: " : "")\(verb) \(name)\(status) (version \(answer.version))",
      [
        (Column("type"), .string(answer.type)), (Column("id"), Cell(answer.id)),
        (Column("version"), .integer(answer.version)), (Column("status"), .optional(answer.status)),
        (Column("dry_run"), .bool(change.dryRun)),
      ]
    )
  }
}

/// History as a table.
enum HistoryTable {
  static func table(_ lines: [HistoryLine]) -> Table {
    Table(
      columns: [
        Column("seq", kind: .number), Column("at", kind: .instant), Column("what"), Column("from"),
        Column("to"),
        Column("who"), Column("comment"), Column("changes"),
      ],
      rows: lines.map { line in
        [
          .integer(line.seq), Cell(line.at), .string(line.transition ?? line.kind), .optional(line.from),
          .optional(line.to), .string(who(line)), .optional(line.comment),
          (try? line.changes.value()).map { Cell($0) } ?? .null,  // stored JSON always reads
        ]
      }
    )
  }

  /// A member by name; an operator with whom they stood in for.
  private static func who(_ line: HistoryLine) -> String {
    guard line.actorKind == "operator" else { return line.onBehalfOf ?? line.actor }
    return line.onBehalfOf.map { "\($0) (by operator \(line.actor))" } ?? "operator \(line.actor)"
  }
}
