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
  var creations: ImportCreations
  /// True to write each change within a savepoint, and to find those that PostgreSQL refuses.
  let isCareful: Bool
  /// The values that all new records have.
  let fixed: JSONObject
  var outcome: ImportOutcome

  /// The number of lines taken so far.
  private(set) var taken = 0
  private var identities: ImportIdentities
  private var waiting: [(line: ImportLine, id: UUID)] = []
  private var seen: Set<UUID> = []
  private var mayCreate = false

  init(
    records: Records,
    type: RecordType,
    acting: ActingContext,
    access: Access,
    reader: ImportReader,
    references: ImportReferences,
    insert: BatchInsert,
    fixed: JSONObject,
    isCareful: Bool,
    outcome: ImportOutcome
  ) throws {
    self.records = records
    self.type = type
    self.acting = acting
    self.access = access
    self.reader = reader
    self.references = references
    creations = ImportCreations(records, type, acting, access, insert: insert)
    self.fixed = fixed
    self.isCareful = isCareful
    self.outcome = outcome
    identities = ImportIdentities(company: acting.company.id, type: type.name)
    let given = Set(reader.targets.map(\.column.name) + fixed.keys)
    let missing = type.required.filter { !given.contains($0) }
    // A rule may compute required columns.
    if records.rules[type.name] == nil, !missing.isEmpty, reader.mapping.id == nil {
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
    try creations.finish(&work, &outcome)
  }

  private mutating func lookUp(_ work: inout Work) throws {
    guard !waiting.isEmpty else { return }
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
      mayCreate = true
    }
    var cells = line.cells
    for (index, target) in reader.targets.enumerated() {
      if case .reference = target, let name = cells[index] {
        cells[index] = try references.id(name, at: index).text
      }
    }
    var fields: JSONObject = [:]
    for (index, target) in reader.targets.enumerated() {
      if let cell = cells[index] {
        fields[target.column.name] = target.column.kind.json(cell, from: line.raw[index])
      } else if target.column.needsValue {
        fields[target.column.name] = .null
      }
    }
    for (column, value) in fixed.members { fields[column] = value }
    try creations.add(line, id: id, fields, &work, &outcome)
  }

  private mutating func change(_ line: ImportLine, _ existing: ExistingRecord, _ work: inout Work) throws {
    try creations.writeSiblings(&work, &outcome)
    let update = ImportUpdate(existing: existing, targets: reader.targets)
    let fields = try update.fields(of: line) { try references.id($0, at: $1) }
    guard !fields.isEmpty else {
      outcome.alreadyThere += 1
      return
    }
    let (records, acting, name) = (records, acting, type.name)
    func apply(_ work: inout Work) throws {
      _ = try records.update(
        acting,
        type: name,
        id: existing.id,
        fields: fields,
        version: existing.version,
        in: &work
      )
    }
    if isCareful { try records.contained(in: &work, apply) } else { try apply(&work) }
    outcome.updated += 1
  }

  /// Runs a body and collects its refusal as a refused line.
  private mutating func noting(_ line: ImportLine, _ body: (inout ImportRun) throws -> Void) throws {
    do {
      try body(&self)
    } catch let error as DomainError where error.concernsLine {
      outcome.refuse(line, error)
    }
  }
}
