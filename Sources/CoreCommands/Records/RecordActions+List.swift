internal import Domain
package import Engine
internal import FoundationEssentials
package import Store
internal import Synchronization
internal import Terminal

extension RecordActions {
  /// Prints a list.
  ///
  /// - Parameters:
  ///   - columns: the default columns for people; if empty, the default columns of the type. Programs get
  ///     all columns.
  ///   - tellsCursor: true to print the cursor of the next page.
  package func list(_ query: RecordQuery, columns: [String], tellsCursor: Bool = false) async throws {
    try await options.company.withOpening { opening in
      let (records, acting) = (opening.records, opening.acting)
      let recordType = try records.catalogue.type(type)
      var query = try await chosen(query, records, acting, recordType)
      let output = options.output
      let limit = query.limit
      // The database cannot sort by this column, so all rows are fetched and sorted here.
      let sortsHere = output.sort != nil && query.sort != output.sort
      if sortsHere { query.limit = 100_000 }
      let page = try await records.page(acting, type: type, query)
      var recordTable = RecordTable(type: try records.known(type, of: acting.company.id))
      if output.output == .table {
        recordTable.references = try await records.referenceNames(acting, type: type, in: page.records)
      }
      var table = recordTable.list(page.records)
      if sortsHere, let sort = output.sort { table = try table.sorted(by: sort) }
      let isCut = table.rows.count > limit || page.next != nil
      table.rows = Array(table.rows.prefix(limit))
      let columns = columns.isEmpty ? recordTable.forPeople : columns
      if output.output == .table, output.columns == nil {
        let shown = columns.filter { $0 != "id" || !isNamed(table, recordType, columns) }
        table = ShortID.shortening(try table.selecting(shown.joined(separator: ",")), on: output.screen)
      }
      let isFiltered = !query.filters.isEmpty || query.search != nil
      try output.printAsIs(table, isFiltered: isFiltered)
      guard isCut else { return }
      if tellsCursor, !sortsHere, let next = page.next {
        Message.tell("first \(limit) shown; continue with --after \(next)")
      } else if output.output == .table {
        Message.tell("first \(limit) shown; --limit shows more")
      }
    }
  }

  /// Streams all records that match a query, in any format except a table.
  ///
  /// - Parameters:
  ///   - permission: a permission that is required besides reading; nil for none.
  ///   - form: the form of CSV.
  /// - Throws: `invalid_input` for the output format `table`.
  package func stream(
    _ query: RecordQuery,
    permission: String? = nil,
    form: ExportForm = ExportForm()
  ) async throws {
    let output = options.output
    guard output.output != .table else {
      throw DomainError(
        .invalidInput,
        "a table cannot be streamed, since the width of its columns depends on all rows",
        hint: "add --output csv or --output jsonl"
      )
    }
    try await options.company.withOpening { opening in
      let (records, acting) = (opening.records, opening.acting)
      let recordType = try records.catalogue.type(type)
      let query = try await chosen(query, records, acting, recordType)
      if let sort = output.sort { try recordType.requireOrder(sort) }
      let recordTable = RecordTable(type: recordType)
      let chosen = try Table(columns: recordTable.columns).selecting(
        output.columns ?? recordTable.names.joined(separator: ",")
      )
      let names = chosen.columns.map(\.key)
      let dates = Set(recordType.viewColumns.filter { $0.kind == .date }.map(\.name))
      let stream = Mutex(RowStream(format: output.output, columns: chosen.columns, form: form))
      try await records.stream(acting, type: type, query, permission: permission) { document in
        try stream.withLock {
          try $0.write(
            names.map { form.cell(recordTable.cell($0, document), isDate: dates.contains($0)) }
          )
        }
      }
      try stream.withLock { try $0.finish() }
    }
  }

  /// Prints PostgreSQL's plan for a query.
  package func explain(_ query: RecordQuery) async throws {
    try await options.company.withOpening { opening in
      let (records, acting) = (opening.records, opening.acting)
      let query = try await chosen(query, records, acting, try records.catalogue.type(type))
      let lines = try await records.explain(acting, type: type, query)
      var plain = options.output
      (plain.filters, plain.sortLists) = ([], [])
      try plain.print(Table(columns: [Terminal.Column("plan")], rows: lines.map { [.string($0)] }))
    }
  }

  /// Returns the query with the conditions of `--where` and the order of `--sort` added.
  package func chosen(
    _ query: RecordQuery,
    _ records: Records,
    _ acting: ActingContext,
    _ recordType: RecordType
  ) async throws -> RecordQuery {
    var query = query
    let given =
      query.filters.map { RecordCondition($0.column, $0.value.isEmpty ? .isNull : .equal, $0.value) }
      + query.conditions + (try options.output.filters.map { try RecordCondition(parsing: $0) })
    (query.filters, query.conditions) = ([], [])
    for condition in given {
      query.conditions.append(try await records.resolvingNames(in: condition, type: type, acting))
    }
    // The database sorts by these columns only. The caller sorts by other columns, or refuses an unknown one.
    if let sort = options.output.sort, (try? recordType.requireOrder(sort)) != nil { query.sort = sort }
    return query
  }

  /// Returns true if each row has a name among the columns, so that people need no id.
  private func isNamed(_ table: Table, _ recordType: RecordType, _ columns: [String]) -> Bool {
    let indices = recordType.definition.nameColumns.filter(columns.contains).compactMap { name in
      table.columns.firstIndex { $0.key == name }
    }
    return table.rows.allSatisfy { row in indices.contains { row[$0] != .null } }
  }
}
