internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The second pass of an import. It creates records, changes the records that lines name by id, and collects
/// refused lines.
struct ImportRun {
  /// The number of lines with ids that are looked up together.
  private static let lookAhead = 500

  let records: Records
  let type: RecordType
  let acting: ActingContext
  let access: Access
  let reader: ImportReader
  let references: ImportReferences
  var insert: BatchInsert
  let fixed: [(column: Column, cell: String?)]
  var outcome: ImportOutcome

  /// The number of lines taken so far.
  private(set) var taken = 0
  private var identities: ImportIdentities
  private var waiting: [(line: ImportLine, id: UUID)] = []
  private var seen: Set<UUID> = []
  private var mayCreate = false
  /// True if each record is created like a single one, because the type's rule computes required columns or
  /// checks every line.
  private let needsRule: Bool

  init(
    records: Records,
    type: RecordType,
    acting: ActingContext,
    access: Access,
    reader: ImportReader,
    references: ImportReferences,
    insert: BatchInsert,
    fixed: [(column: Column, cell: String?)],
    outcome: ImportOutcome
  ) throws {
    self.records = records
    self.type = type
    self.acting = acting
    self.access = access
    self.reader = reader
    self.references = references
    self.insert = insert
    self.fixed = fixed
    self.outcome = outcome
    identities = ImportIdentities(company: acting.company.id, type: type.name)
    let given = Set((reader.targets.map(\.column) + fixed.map(\.column)).map(\.name))
    let missing = type.required.filter { !given.contains($0) }
    let rule = records.rules[type.name]
    needsRule = rule != nil && (!missing.isEmpty || rule?.checksImports == true)
    if !needsRule, !missing.isEmpty, reader.mapping.id == nil {
      throw DomainError(
        .missingFields,
        "\(missing.joined(separator: ", ")) \(missing.count == 1 ? "is" : "are") missing",
        hint: "map columns of the file to them, or give values for all with --set",
        details: ["fields": .strings(missing)]
      )
    }
  }

  /// Takes the next line. A refusal of the line is collected, not thrown.
  mutating func take(_ line: ImportLine, _ work: inout Work) throws {
    taken += 1
    guard reader.mapping.id != nil else {
      return try noting(line) { try $0.make(line, id: $0.identities.next(line), &work) }
    }
    let id = line.id ?? identities.next(line)
    guard seen.insert(id).inserted else {
      return try noting(line) { _ in throw DomainError(.alreadyExists, "the id \(id.text) occurs twice") }
    }
    waiting.append((line, id))
    if waiting.count >= Self.lookAhead { try lookUp(&work) }
  }

  /// Takes the waiting lines and waits for the last batches.
  mutating func finish(_ work: inout Work) throws {
    try lookUp(&work)
    try insert.finish(&work, &outcome)
  }

  private mutating func lookUp(_ work: inout Work) throws {
    guard !waiting.isEmpty else { return }
    try insert.settle(&work, &outcome)
    let rows = try work.transaction.rows(
      ExistingRecord.query(waiting.map(\.id), of: type, company: acting.company.id),
      as: ExistingRecord.self
    )
    let existing = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    for (line, id) in waiting {
      try noting(line) { run in
        if let found = existing[id] {
          try run.change(line, found, &work)
        } else {
          try run.make(line, id: id, &work)
        }
      }
    }
    waiting.removeAll(keepingCapacity: true)
  }

  private mutating func make(_ line: ImportLine, id: UUID, _ work: inout Work) throws {
    if !mayCreate {
      try type.rules
        .requireCreate([:], by: try Rights(acting, access).kernel(acting, type))
      try type.requireOwner(acting)
      try type.requireEntitlement(acting, work.transaction)
      mayCreate = true
    }
    var cells = line.cells
    for (index, target) in reader.targets.enumerated() {
      if case .reference = target, let name = cells[index] {
        cells[index] = try references.id(name, at: index).text
      }
    }
    guard needsRule else { return try insert.take(line, cells, id: id, &work, &outcome) }
    var fields: JSONObject = [:]
    for (index, target) in reader.targets.enumerated() where cells[index] != nil {
      if case .reference = target {
        fields[target.column.name] = .string(cells[index] ?? "")
      } else {
        fields[target.column.name] = target.column.kind.json(line.raw[index].trimmingSpaces())
      }
    }
    for value in fixed { fields[value.column.name] = value.cell.map { value.column.kind.json($0) } }
    let type = type.name
    if try work.transaction.first(self.type.peek(company: acting.company.id, id: id), as: LockedRow.self)
      != nil
    {
      outcome.alreadyThere += 1
      return
    }
    // The rule reads the earlier lines, so these are written first.
    if records.rules[type]?.checksImports == true { try work.writeRowsNow() }
    _ = try records.create(acting, type: type, id: id, fields: fields, kind: .import, in: &work)
    outcome.imported += 1
  }

  private mutating func change(_ line: ImportLine, _ existing: ExistingRecord, _ work: inout Work) throws {
    let update = ImportUpdate(existing: existing, targets: reader.targets)
    let fields = try update.fields(of: line) { try references.id($0, at: $1) }
    guard !fields.isEmpty else {
      outcome.alreadyThere += 1
      return
    }
    _ = try records.update(
      acting,
      type: type.name,
      id: existing.id,
      fields: fields,
      version: existing.version,
      in: &work
    )
    outcome.updated += 1
  }

  /// Runs a body and collects its refusal as a refused line.
  private mutating func noting(_ line: ImportLine, _ body: (inout ImportRun) throws -> Void) throws {
    do {
      try body(&self)
    } catch let error as DomainError where [.invalid, .notFound, .conflict].contains(error.category) {
      // A missing permission concerns the whole file and is thrown.
      outcome.refused.append(RefusedLine(line: line.line, reason: error.message, source: line.source))
    }
  }
}
