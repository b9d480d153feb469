internal import Domain
internal import FoundationEssentials
internal import Store

/// Reads an import file line by line and checks every cell against the type, without a database.
struct ImportReader {
  private let type: RecordType
  private let plan: ImportPlan
  private let source: ImportSource
  private var readers: [CellReader]
  /// Whether the cells of each target are names of records.
  private let isReference: [Bool]
  /// The positions of cells that can be local times.
  private let localTimes: [Int]
  /// The positions of cells that are lists.
  private let lists: [Int]
  /// The values that all new records have, as texts with their readers.
  private var given: [(reader: CellReader, text: String)]
  /// Nil if the amounts of the type have no currency.
  private let currencies: CurrencyCheck?
  /// The field of each target under which meanings of words are stated; nil for a target without any.
  private var stated: [String?] = []
  /// True if the rule of the type may compute a required value that a new record lacks.
  private let hasRule: Bool
  /// The mapping of the file's headings to columns.
  let mapping: ImportMapping

  /// The columns that the mapped headings fill, in the order of the headings.
  var targets: [ImportMapping.Target] { mapping.targets }

  /// - Throws: `unknown_fields` if the mapping, or the heading line in its place, names an unknown column;
  ///   `invalid_input` if a column is filled twice; `invalid_import` for a stream or an unreadable heading
  ///   line.
  ///
  /// - Parameters:
  ///   - choices: the only values of text columns, by column.
  ///   - echoes: the columns of the view that name what a reference refers to, with the reference's column.
  init(
    type: RecordType,
    plan: ImportPlan,
    path: String,
    hasRule: Bool,
    choices: [String: [String]] = [:],
    echoes: [String: String] = [:]
  ) throws {
    self.type = type
    self.hasRule = hasRule
    self.plan = plan
    let names = ImportMapping.names(of: type)
    let layout = try plan.layout.settled(for: path) { headings in
      plan.mapping.isEmpty
        ? headings.allSatisfy { names.contains($0) || RefusalColumns.allNames.contains($0) }
        : plan.mapping.allSatisfy { headings.contains($0.heading) }
    }
    source = ImportSource(layout, path: path, names: names)
    var mapping =
      plan.mapping.isEmpty
      ? try ImportMapping(headings: source.headings(), echoes, type)
      : try ImportMapping(plan.mapping, type)
    let fixed = try plan.fixedTargets(type)
    for (target, name) in fixed where target.isReference { mapping.refer(target, to: name) }
    try mapping.requireDistinct(with: fixed.map(\.target).filter { !$0.isReference }.map(\.column.name))
    self.mapping = mapping
    func reader(_ column: Column) -> CellReader {
      CellReader(column: column, of: type.definition, choices: choices[column.name] ?? [])
    }
    let readers = mapping.targets.map { reader($0.column) }
    self.readers = readers
    given = fixed.filter { !$0.target.isReference }.map { target, value in
      let isList = if case .array = target.column.kind { true } else { false }
      return (reader: reader(target.column), text: isList ? WrittenList.json(value) : value)
    }
    currencies = CurrencyCheck(type, mapping.targets, fixed: fixed)
    isReference = mapping.targets.map(\.isReference)
    localTimes = readers.indices.filter { readers[$0].isInstant }
    lists = readers.indices.filter { if case .array = readers[$0].column.kind { true } else { false } }
    stated = mapping.targets.map(\.column.name).map { column in
      plan.values.fields.first { $0 == column || "\($0)_id" == column }
    }
    try requireStated()
    try requireOptional(plan.emptyIfUnreadable)
  }

  /// The position of the cell that names a record in another system; nil if the file has none. The column is
  /// the key `external_ref` of a type.
  var externalKey: Int? {
    guard type.definition.key == ["external_ref"] else { return nil }
    return targets.firstIndex { $0.column.name == "external_ref" }
  }

  /// The evidence of the notation, before the first line.
  ///
  /// An export has ids and versions, and no sign between thousands: its `1.355` is certain.
  var evidence: NotationEvidence {
    let isExport = plan.mapping.isEmpty && mapping.id != nil && mapping.version != nil
    return NotationEvidence(targets, plan.notation, hasThousands: !isExport)
  }

  /// Returns the derivation of the identities of lines, before the first line.
  ///
  /// - Parameters:
  ///   - user: the acting member, who owns the private records that lines make.
  ///   - findsFormer: true to derive the ids of earlier imports too.
  func identities(_ company: UUID, _ user: UUID?, findsFormer: Bool) -> ImportIdentities {
    ImportIdentities(
      company: company,
      owner: type.definition.scope == .owner ? user : nil,
      type: type.name,
      columns: targets.dropLast(mapping.constants.count).map(\.column.name),
      findsFormer: findsFormer
    )
  }

  /// The notation of each target's cells.
  var notations: [ColumnNotation] {
    get { readers.map(\.notation) }
    set { for (index, notation) in newValue.enumerated() { readers[index].notation = notation } }
  }

  /// Sets what the times of the file, and those that all new records have, mean in the company's time zone.
  mutating func setTimes(_ times: CompanyTimes) {
    for index in readers.indices { readers[index].times = times }
    for index in given.indices { given[index].reader.times = times }
  }

  /// The times that all new records have: instants in columns of dates, and local times as if they were in UTC.
  var givenTimes: (instants: [Instant], local: [Instant]) {
    (given.compactMap { $0.reader.instant($0.text) }, given.compactMap { $0.reader.localTime($0.text) })
  }

  /// Returns the values that all new records have, checked against their columns; empty ones and references are left out.
  ///
  /// - Throws: the code of the column's kind for an invalid value.
  func givenFields() throws -> JSONObject {
    var fields: JSONObject = [:]
    for (reader, text) in given {
      let kind = reader.column.kind
      fields[reader.column.name] = try reader.read(text).map { kind.json($0, from: text) }
    }
    return fields
  }

  /// Finds out the notation of the columns.
  ///
  /// - Throws: as ``NotationEvidence/notations(namesCurrency:)``.
  func notations(of evidence: NotationEvidence) throws -> [ColumnNotation] {
    let filled = targets.map(\.column.name) + plan.fixed.map(\.column)
    return try evidence.notations(
      namesCurrency: type.column("currency") == nil || filled.contains("currency")
    )
  }

  /// Requires that the file fills the fields whose words have meanings.
  private func requireStated() throws(DomainError) {
    let filled = stated.compactMap(\.self) + (mapping.status == nil ? [] : ["status"])
    for field in plan.values.fields where !filled.contains(field) {
      throw DomainError(
        .unknownFields,
        "--values: the file fills no field \(Quoted(field))",
        hint:
          "use one of: \((mapping.targets.map(\.column.name) + (mapping.status == nil ? [] : ["status"])).joined(separator: ", "))"
      )
    }
  }

  /// Returns the row with the stated meanings of its words, and with lists in JSON.
  private func meant(_ row: ImportRow) -> ImportRow {
    var row = row
    for index in row.cells.indices {
      guard let field = stated[index], let meaning = plan.values.meaning(of: row.cells[index], in: field)
      else { continue }
      row.cells[index] = meaning
      row.exact.remove(index)
    }
    for index in lists where index < row.cells.count { row.cells[index] = WrittenList.json(row.cells[index]) }
    if let meaning = row.status.flatMap({ plan.values.meaning(of: $0, in: "status") }) {
      row.status = meaning.isEmpty ? nil : meaning
    }
    return row
  }

  /// Requires that values of these columns can stay empty.
  private func requireOptional(_ names: [String]) throws(DomainError) {
    for name in names {
      guard let column = readers.map(\.column).first(where: { $0.name == name }) else {
        throw DomainError(
          .unknownFields,
          "--empty-if-unreadable: the file fills no field \(Quoted(name))",
          hint:
            "use one of: \(readers.map(\.column).filter(\.isNullable).map(\.name).joined(separator: ", "))"
        )
      }
      guard column.isNullable else {
        throw DomainError(
          .invalidInput,
          "--empty-if-unreadable: \(name) cannot be empty",
          hint: "leave it out"
        )
      }
    }
  }

  /// Reads the whole file. Passes every line with cells to `seen`, then valid lines to `good` and refused ones to
  /// `bad`.
  @discardableResult
  func read(
    seen: (ImportRow) -> Void = { _ in },
    _ good: (ImportLine) throws -> Void,
    bad: (RefusedLine) throws -> Void
  ) throws -> FileForm {
    try source.read(mapping) { written in
      let row = written.fault == nil ? meant(written) : written
      let line: ImportLine
      do {
        if let fault = row.fault { throw DomainError(.invalidInput, fault) }
        seen(row)
        let raw = mapping.constants.isEmpty ? written.cells : written.cells.dropLast(mapping.constants.count)
        line = try self.line(row, raw: raw)
      } catch let error as DomainError where error.category == .invalid {
        let column = error.details["unreadable"]?.string
        try bad(
          RefusedLine(
            line: row.line,
            reason: error.message,
            code: error.code,
            source: row.source,
            unreadable: column,
            word: error.details["word"]?.string
          )
        )
        return
      }
      try good(line)
    }
  }

  private func line(_ row: ImportRow, raw: [String]) throws -> ImportLine {
    var cells: [String?] = []
    cells.reserveCapacity(row.cells.count)
    var unread: [UnreadValue] = []
    for (index, text) in row.cells.enumerated() {
      if isReference[index] {
        let name = text.trimmingSpaces()
        cells.append(name.isEmpty ? nil : name)
      } else {
        do throws(DomainError) {
          cells.append(try readers[index].read(text, isExact: row.exact.contains(index)))
        } catch {
          let column = readers[index].column
          // A line that changes a record must not clear its value, so it is refused in any case.
          guard plan.emptyIfUnreadable.contains(column.name), mapping.id == nil else {
            let refusal = error.about(column.name)
            var details = refusal.details
            if column.isNullable { details["unreadable"] = .string(column.name) }
            if text.contains(where: \.isLetter), text.utf8.count <= 60 {
              details["word"] = .string("\(column.name):\(text.trimmingSpaces())")
            }
            throw DomainError(refusal.code, refusal.message, hint: refusal.hint, details: details)
          }
          unread.append(UnreadValue(line: row.line, column: column.name, text: text))
          cells.append(nil)
        }
      }
      if cells[index] == nil, !hasRule || mapping.id != nil, readers[index].column.needsValue {
        throw DomainError(.missingFields, "\(readers[index].column.name) is missing")
      }
    }
    try currencies?.require(row.cells, cells)
    return ImportLine(
      line: row.line,
      cells: cells,
      unread: unread,
      raw: raw,
      texts: row.cells,
      localTimes: localTimes.compactMap { readers[$0].localTime(row.cells[$0]) },
      id: try row.id.map { text in
        guard let id = UUID(text: text) else {
          throw DomainError(.invalidID, "id: \(Quoted(text)) is not an id")
        }
        return id
      },
      version: try row.version.map { text in
        guard let version = Int64(text) else {
          throw DomainError(.invalidNumber, "version: \(Quoted(text)) is not a version")
        }
        return version
      },
      status: try row.status.map(state),
      echoes: row.echoes,
      digest: row.digest,
      source: row.source
    )
  }

  private func state(_ text: String) throws(DomainError) -> String {
    do {
      return try type.workflow?.state(written: text, of: type.name).name ?? text
    } catch {
      var details = error.details
      details["word"] = .string("status:\(text.prefix(60))")
      throw DomainError(error.code, error.message, hint: error.hint, details: details)
    }
  }
}
