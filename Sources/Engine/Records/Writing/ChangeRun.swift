internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Thrown if changes were prepared under workflows that the company no longer follows.
struct OutdatedWorkflows: Error {}

/// Applies prepared changes wave by wave, within a unit of work.
///
/// A wave takes two round trips: one for its locks and questions, and one for its writes. The questions of the first
/// wave can travel with those of the caller, and the writes of the last one with the commit.
struct ChangeRun {
  let records: Records
  let acting: ActingContext
  let rights: Rights
  let policy: (any ChangePolicy)?
  /// True to write each wave inside savepoints, and to find what PostgreSQL refuses.
  var isCareful = false
  /// True if a refusal leaves the other changes as they are; false if the unit of work ends with it.
  var keepsOthers = true

  /// Queues the questions about a wave, after the locks of some changes.
  static func ask(
    _ wave: [RecordChange],
    locking locked: [RecordChange],
    _ records: Records,
    _ acting: ActingContext,
    device: UUID?,
    _ numbers: WorkNumbers,
    _ pipeline: inout Pipeline
  ) throws -> ChangeQuestions {
    try ChangeQuestions(wave, ChangeLocks(locked, records), acting, device: device, numbers, &pipeline)
  }

  /// What some records refer to.
  typealias References = [(type: RecordType, rows: Ticket<JSON>)]

  /// Queues the look-up of what the records of deletions and restorations refer to, which are locked too.
  static func askReferences(
    of changes: [RecordChange],
    _ acting: ActingContext,
    _ pipeline: inout Pipeline
  ) -> References {
    var found: [String: (type: RecordType, ids: [UUID])] = [:]
    for change in changes where change.operation.reachesOthers {
      guard let type = change.type, !type.definition.references.isEmpty else { continue }
      found[type.name, default: (type, [])].ids.append(change.id)
    }
    return found.sorted { $0.key < $1.key }.map { _, asked in
      let statement = asked.type.references(company: acting.company.id, each: asked.ids)
      return (asked.type, pipeline.rows(statement, JSON.self))
    }
  }

  /// Takes all locks of the changes at once, with those of the given references.
  func lock(_ changes: [RecordChange], _ references: References, in work: Work) throws {
    let parents = try references.flatMap { type, rows in
      try rows.all.flatMap { try records.parents(of: type, $0.value().object ?? [:]) }
    }
    let locks = ChangeLocks(changes, references: parents, records)
    let numbers = work.numbers
    _ = try work.readMore { try ChangeQuestions([], locks, acting, device: policy?.device, numbers, &$0) }
  }

  /// Decides the changes of a wave and writes what the rules permit.
  ///
  /// - Parameters:
  ///   - asked: the questions about them; nil to ask now.
  ///   - isLast: true if no other wave follows.
  /// - Throws: the errors of PostgreSQL; for a value that it refuses only if the run is not careful.
  func apply(
    _ wave: [RecordChange],
    _ asked: ChangeQuestions?,
    isLast: Bool,
    in work: inout Work
  ) throws -> [(RecordChange, ChangeOutcome)] {
    guard let questions = try asked ?? questions(about: wave, in: work) else {
      return try wave.map { ($0, try alone($0, in: &work)) }
    }
    var decisions = ChangeDecisions(records, acting, rights, policy, try ChangeReading(questions))
    try decisions.decide(wave, in: &work)
    let writer = ChangeWriter(
      records: records,
      isCareful: isCareful,
      travels: isLast && decisions.alone.isEmpty
    )
    var outcomes = decisions.outcomes
    var end = end(of: outcomes)
    outcomes += try writer.write(decisions.plans.filter { $0.change.no < end }, in: &work)
    for change in decisions.alone where change.no < end {
      outcomes.append((change, try alone(change, in: &work)))
      end = self.end(of: outcomes)
    }
    return outcomes
  }

  /// Returns the number of the first refused change, if the unit of work ends with it. Later ones are not written:
  /// PostgreSQL could refuse them first.
  private func end(of outcomes: [(change: RecordChange, outcome: ChangeOutcome)]) -> Int64 {
    guard !keepsOthers else { return .max }
    return outcomes.compactMap { change, outcome in
      if case .refused = outcome { change.no } else { nil }
    }.min() ?? .max
  }

  private func alone(_ change: RecordChange, in work: inout Work) throws -> ChangeOutcome {
    let alone = ChangeAlone(records: records, acting: acting, policy: policy)
    return try keepsOthers ? alone.attempt(change, in: &work) : alone.apply(change, in: &work)
  }

  /// Asks about a wave. Nil if PostgreSQL refused a value of some change, so that each has to be asked alone.
  private func questions(about wave: [RecordChange], in work: Work) throws -> ChangeQuestions? {
    let (numbers, tx) = (work.numbers, work.transaction)
    func ask(_ pipeline: inout Pipeline) throws -> ChangeQuestions {
      try Self.ask(wave, locking: wave, records, acting, device: policy?.device, numbers, &pipeline)
    }
    guard isCareful else { return try tx.pipeline { try ask(&$0) } }
    do {
      return try tx.savepoint { tx in try tx.pipeline { try ask(&$0) } }
    } catch let error as PostgresError where error.isRefusalOfValue {
      return nil
    }
  }
}

extension Records {
  /// The number of attempts while the company's workflows change.
  private static let mostAttempts = 4

  /// Runs a command whose changes are prepared before its transaction begins; again if the cached workflows of the
  /// company turn out to be out of date.
  ///
  /// - Throws: `unavailable` if they change each time.
  func underFollowedWorkflows<Answer>(_ acting: ActingContext, _ body: () async throws -> Answer) async throws
    -> Answer
  {
    for _ in 1..<Self.mostAttempts {
      do {
        return try await body()
      } catch is OutdatedWorkflows {
        try await followNow(acting)
      }
    }
    do {
      return try await body()
    } catch is OutdatedWorkflows {
      throw DomainError(.unavailable, "workflows are being changed", hint: "try again in a moment")
    }
  }
}
