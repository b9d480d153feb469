internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The second pass of an import. It creates records, changes the records that lines name by id, completes those
/// of earlier imports, and collects refused lines.
struct ImportRun {
  /// The number of lines with known records that are looked up together.
  private static let lookAhead = 500

  let records: Records
  let type: RecordType
  let acting: ActingContext
  let access: Access
  let reader: ImportReader
  let references: ImportReferences
  var creations: ImportCreations
  /// True to write changes within savepoints, and to find those that PostgreSQL refuses.
  let isCareful: Bool
  /// The values that all new records have.
  let fixed: JSONObject
  /// The status that is stated for all records; nil if none is.
  let status: String?
  var outcome: ImportOutcome

  /// The number of lines taken so far.
  private(set) var taken = 0
  private let survey: ImportSurvey
  private var recognition: ImportRecognition
  private var former: FormerLines
  private var waiting: [WaitingLine] = []
  private var seen: Set<UUID> = []
  /// The changes of existing records that are not written yet.
  var corrections: [Correction] = []
  private var mayCreate = false
  private var written: [(line: Int, digest: LineDigest)] = []

  /// The fields that a line changes in an existing record.
  struct Correction {
    let line: ImportLine
    let record: ExistingRecord
    let fields: JSONObject
    /// True if they were empty, and an earlier import created the record from the line.
    let completes: Bool
  }

  /// A line whose record may exist.
  struct WaitingLine {
    let line: ImportLine
    let id: UUID
    /// True if the record is one of an earlier import, false if the line has its id.
    let isRecognised: Bool
  }

  init(
    records: Records,
    type: RecordType,
    acting: ActingContext,
    access: Access,
    reader: ImportReader,
    survey: ImportSurvey,
    recognition: ImportRecognition,
    former: FormerLines,
    references: ImportReferences,
    insert: BatchInsert,
    fixed: JSONObject,
    status: String?,
    isCareful: Bool,
    outcome: ImportOutcome
  ) throws {
    self.records = records
    self.type = type
    self.acting = acting
    self.access = access
    self.reader = reader
    self.references = references
    let given = Set(reader.targets.map(\.column.name) + fixed.keys)
    creations = ImportCreations(records, type, acting, access, given: given, insert: insert)
    self.fixed = fixed
    self.status = status
    self.isCareful = isCareful
    self.outcome = outcome
    self.survey = survey
    self.recognition = recognition
    self.former = former
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
    let position = taken
    taken += 1
    let isRepeated = former.take(line.digest)
    guard position < survey.good else {
      throw DomainError(.invalidImport, "the file was changed while it was read", hint: "import it again")
    }
    if let id = line.id {
      guard seen.insert(id).inserted else {
        return try noting(line) { _ in throw DomainError(.alreadyExists, "the id \(id.text) occurs twice") }
      }
      waiting.append(WaitingLine(line: line, id: id, isRecognised: false))
    } else {
      try noting(line) { run in
        guard let known = try run.record(position, line) else {
          if let number = isRepeated { throw FormerLines.refusal(number) }
          return try run.make(line, id: run.id(position), &work)
        }
        run.waiting.append(WaitingLine(line: line, id: known, isRecognised: true))
      }
    }
    if waiting.count >= Self.lookAhead { try lookUp(&work) }
  }

  /// Returns the id of the record that a line creates.
  private func id(_ position: Int) -> UUID { recognition.newID(position) ?? survey.identities[position].id }

  /// Returns the record that an earlier import made of a line; nil if the line is new.
  private mutating func record(_ position: Int, _ line: ImportLine) throws -> UUID? {
    if let known = recognition.record(position) { return known }
    return recognition.hasGaps ? recognition.take(line, try cells(of: line)) : nil
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
    // A first version was never changed.
    let edited = waiting.filter { $0.isRecognised && (existing[$0.id]?.version ?? 1) > 1 }
    let changed = try changedFields(of: edited.map(\.id), work)
    for one in waiting {
      try noting(one.line) { run in
        guard let found = existing[one.id] else {
          if run.creations.isAlone { try run.correct(&work) }
          return try run.make(one.line, id: one.id, &work)
        }
        if one.isRecognised {
          try run.complete(one.line, found, changed: changed[one.id] ?? [])
        } else {
          try run.change(one.line, found)
        }
      }
    }
    waiting.removeAll(keepingCapacity: true)
    try correct(&work)
  }

  private mutating func make(_ line: ImportLine, id: UUID, _ work: inout Work) throws {
    if !mayCreate {
      try type.rules
        .requireCreate([:], by: try Rights(acting, access).kernel(acting, type))
      try type.requireOwner(acting)
      mayCreate = true
    }
    for (echo, text) in zip(reader.mapping.echoes, line.echoes) {
      try references.require(line.cells[echo.target], is: text, under: echo.heading, at: echo.target)
    }
    let cells = try cells(of: line)
    var fields: JSONObject = [:]
    for (index, target) in reader.targets.enumerated() {
      let name = target.column.name
      if name == ImportedPast.creation { continue }
      if let cell = cells[index] {
        if case .reference = target {
          fields[name] = .string(cell)
        } else {
          fields[name] = line.value(index, of: target.column)
        }
      } else if target.column.needsValue {
        fields[name] = .null
      }
    }
    for (column, value) in fixed.members { fields[column] = value }
    try creations.add(line, id: id, fields, &work, &outcome)
    if let digest = line.digest { written.append((line.line, digest)) }
  }

  /// Returns the digests of the lines that have made records.
  func made() -> [LineDigest] {
    let refused = Set(outcome.refused.map(\.line))
    return written.filter { !refused.contains($0.line) }.map(\.digest)
  }

  /// Returns the cells of a line, with ids of records for names.
  func cells(of line: ImportLine) throws -> [String?] {
    var cells = line.cells
    for (index, target) in reader.targets.enumerated() {
      if case .reference = target, let name = cells[index] {
        cells[index] = try references.id(name, at: index).text
      }
    }
    return cells
  }

  private mutating func change(_ line: ImportLine, _ existing: ExistingRecord) throws {
    // What is given for all lines is for new records.
    let written = reader.targets.dropLast(reader.mapping.constants.count)
    let update = ImportUpdate(existing: existing, type: type, targets: Array(written))
    let fields = try update.fields(of: line) { try references.id($0, at: $1) }
    for (echo, text) in zip(reader.mapping.echoes, line.echoes)
    where fields[reader.targets[echo.target].column.name] == nil {
      try references.require(line.cells[echo.target], is: text, under: echo.heading, at: echo.target)
    }
    guard !fields.isEmpty else {
      outcome.alreadyThere += 1
      return
    }
    corrections.append(Correction(line: line, record: existing, fields: fields, completes: false))
  }

  /// Writes the corrections so far, wave by wave.
  private mutating func correct(_ work: inout Work) throws {
    guard !corrections.isEmpty else { return }
    try creations.writeSiblings(&work, &outcome)
    let type = type.name
    let requests = corrections.enumerated().map { place, one in
      ChangeRequest(
        no: Int64(place),
        operation: .update(type: type, id: one.record.id, fields: one.fields, version: one.record.version)
      )
    }
    let outcomes = try records.applyEach(requests, isCareful: isCareful, acting, in: &work)
    for (place, one) in corrections.enumerated() {
      if case .refused(let error, _)? = outcomes[Int64(place)] {
        guard error.concernsLine else { throw error }
        outcome.refuse(one.line, error)
      } else if one.completes {
        outcome.completed += 1
      } else {
        outcome.updated += 1
      }
    }
    corrections.removeAll(keepingCapacity: true)
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
