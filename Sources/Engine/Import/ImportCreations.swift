internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The new records of an import, each under the same checks and with the same computed columns as a single creation.
///
/// Records are decided in chunks: the questions of the type's rule about all of them are sent together, equal ones once,
/// and answered while the next lines are read. If the rule depends on records of the same type, each is decided alone,
/// after those before it were inserted. ``ImportRecognition`` has found the records that are there already; one that
/// another import makes meanwhile is left out by its insertion.
struct ImportCreations {
  /// The number of records that are decided together. The first ones are fewer, so that the server begins early.
  private static let (chunk, firstChunk) = (1_000, 250)

  /// A record that is not decided yet.
  private struct Candidate {
    let line: ImportLine
    let id: UUID
    let fields: JSONObject
  }

  /// Candidates whose questions were sent.
  private struct Asked {
    let candidates: [Candidate]
    let verdicts: [Result<RecordRule.Verdict, DomainError>]
  }

  private let records: Records
  private let type: RecordType
  private let acting: ActingContext
  private let access: Access
  private let rule: RecordRule?
  private let check: FieldCheck
  /// True if the rule depends on records of the same type.
  let isAlone: Bool
  /// True if lines give columns whose cells the reader does not check completely.
  private let isChecked: Bool
  private(set) var insert: BatchInsert
  private var waiting: [Candidate] = []
  private var asked: Asked?
  private var hasAsked = false

  init(
    _ records: Records,
    _ type: RecordType,
    _ acting: ActingContext,
    _ access: Access,
    given: Set<String>,
    insert: BatchInsert
  ) {
    self.records = records
    self.type = type
    self.acting = acting
    self.access = access
    self.insert = insert
    rule = records.rule(of: type)
    check = FieldCheck(type: type, rule: rule)
    isChecked = type.columns.contains {
      given.contains($0.name) && ($0.kind.isDocument || $0.kind == .boolean)
    }
    isAlone = rule?.dependsOn.contains(type.name) ?? false
  }

  /// Adds a record with the given fields.
  ///
  /// - Throws: the errors of ``FieldCheck/require(_:)``.
  mutating func add(
    _ line: ImportLine,
    id: UUID,
    _ fields: JSONObject,
    _ work: inout Work,
    _ outcome: inout ImportOutcome
  ) throws {
    if isChecked { try check.require(fields) }
    let candidate = Candidate(line: line, id: id, fields: isChecked ? check.canonical(fields) : fields)
    guard rule != nil else { return try decide(candidate, nil, &work, &outcome) }
    waiting.append(candidate)
    if waiting.count >= (isAlone ? 1 : hasAsked ? Self.chunk : Self.firstChunk) { try ask(&work, &outcome) }
  }

  /// Decides the records that wait, and inserts all.
  mutating func finish(_ work: inout Work, _ outcome: inout ImportOutcome) throws {
    try ask(&work, &outcome)
    try decide(&work, &outcome)
    try insert.finish(&work, &outcome)
  }

  /// Decides the records asked about before, and sends the questions about those that wait.
  private mutating func ask(_ work: inout Work, _ outcome: inout ImportOutcome) throws {
    try decide(&work, &outcome)
    guard let rule, !waiting.isEmpty else { return }
    try writeSiblings(&work, &outcome)
    let candidates = waiting
    hasAsked = true
    waiting.removeAll(keepingCapacity: true)
    let (records, type, acting) = (records, type, acting)
    asked = try work.transaction.send { pipeline in
      let verdicts = try pipeline.sharing { pipeline in
        try candidates.map { candidate -> Result<RecordRule.Verdict, DomainError> in
          do {
            if rule.locksParents {
              for parent in try records.parents(of: type, candidate.fields) {
                pipeline.execute(
                  parent.type.lockAsParent(company: acting.company.id, id: parent.id, alone: true)
                )
              }
            }
            return .success(try rule.check(candidate.fields, acting, &pipeline))
          } catch let error as DomainError {
            return .failure(error)
          }
        }
      }
      return Asked(candidates: candidates, verdicts: verdicts)
    }
    if isAlone { try decide(&work, &outcome) }
  }

  /// Writes the records and changes so far if the rule depends on them.
  mutating func writeSiblings(_ work: inout Work, _ outcome: inout ImportOutcome) throws {
    guard isAlone else { return }
    try insert.flush(&work, &outcome)
    try work.writeRowsNow()
  }

  private mutating func decide(_ work: inout Work, _ outcome: inout ImportOutcome) throws {
    guard let asked else { return }
    self.asked = nil
    // What was sent before includes a batch, whose result is counted first.
    try insert.settle(&work, &outcome)
    try work.transaction.collect()
    try insert.release(&work, &outcome)
    for (candidate, verdict) in zip(asked.candidates, asked.verdicts) {
      try outcome.noting(candidate.line) { outcome in
        try decide(candidate, verdict.get(), &work, &outcome)
      }
    }
  }

  private mutating func decide(
    _ candidate: Candidate,
    _ verdict: RecordRule.Verdict?,
    _ work: inout Work,
    _ outcome: inout ImportOutcome
  ) throws {
    let fields = try RecordCreation.complete(candidate.fields, rule, verdict, access)
    try type.requireAll(fields)
    try insert.take(candidate.line, fields, id: candidate.id, &work, &outcome)
  }
}

extension ImportOutcome {
  /// Runs a body and collects its refusal as a refused line.
  ///
  /// - Throws: what concerns the whole file, such as a missing permission.
  mutating func noting(_ line: ImportLine, _ body: (inout ImportOutcome) throws -> Void) throws {
    do {
      try body(&self)
    } catch let error as DomainError where error.concernsLine {
      refuse(line, error)
    }
  }

  mutating func refuse(_ line: ImportLine, _ error: DomainError) {
    refused.append(
      RefusedLine(
        line: line.line,
        reason: error.message,
        code: error.code,
        source: line.source,
        formerImport: error.details["import"]?.number?.integer
      )
    )
  }
}

extension DomainError {
  /// True for a refusal of one line of an import; a missing permission concerns the whole file.
  var concernsLine: Bool { [.invalid, .notFound, .conflict].contains(category) }
}
