internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Takes records over from a file: history of kind import, no timers armed, no notices sent.
///
/// The file is read twice. The first pass checks every line without a database and counts; the second inserts in
/// batches inside one transaction, so an import is there whole or not at all.
package struct RecordImporter: Sendable {
  /// How far it has come: lines done, of lines in all.
  package typealias Progress = @Sendable (_ done: Int, _ total: Int) -> Void

  /// So many that a batch still fits between here and the server, which then works while we read on.
  private static let batchSize = 500

  private let services: Services
  private let records: Records

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
  }

  /// Imports a file.
  ///
  /// - Parameters:
  ///   - path: read twice, so not a pipe.
  ///   - progress: called after every batch.
  /// - Throws: `invalid_import` naming the lines that cannot be taken, unless the plan skips them.
  package func run(
    _ acting: ActingContext,
    path: String,
    plan: ImportPlan,
    dryRun: Bool = false,
    progress: @escaping Progress = { _, _ in }
  ) async throws -> ImportOutcome {
    let type = try await records.followedType(plan.type, acting)
    let reader = try ImportReader(type: type, plan: plan, path: path)
    let survey = try ImportSurvey(reader)
    let status = try ImportStatus(type: type, plan: plan)
    let context = acting.context(requestID: services.ids.next(), mode: .import)
    let references = ImportReferences(
      records: records,
      type: type,
      plan: plan,
      targets: reader.targets,
      named: survey.named
    )
    if !plan.skipsBad, !survey.refused.isEmpty { throw Self.refusal(survey.refused) }
    return try await records.explaining(type.name) {
      try await records.work.perform(context, dryRun: dryRun) { work in
        let (access, limits) = try work.read { pipeline in
          pipeline.rows(QuotaStore.concerning(type.name, company: acting.company.id), as: QuotaRow.self)
        }
        var outcome = ImportOutcome()
        var resolved = references
        try resolved.resolve(acting, access, &work, &outcome)
        var run = try ImportRun(
          records: records,
          type: type,
          acting: acting,
          access: access,
          reader: reader,
          references: resolved,
          insert: BatchInsert(
            type: type,
            acting: acting,
            access: access,
            reader: reader,
            status: status,
            fixed: plan.fixedCells(type),
            size: Self.batchSize
          ),
          fixed: plan.fixedCells(type),
          outcome: outcome
        )
        run.outcome.refused = survey.refused
        try reader.read { line in
          try run.take(line, &work)
          if run.taken % Self.batchSize == 0 { progress(run.taken, survey.good) }
        } bad: { _ in
        }
        try run.finish(&work)
        try records.quotas.requireKept(limits.all, of: type, records.catalogue, access, work)
        outcome = run.outcome
        if !plan.skipsBad, !outcome.refused.isEmpty { throw Self.refusal(outcome.refused) }
        progress(survey.good, survey.good)
        outcome.refused.sort { $0.line < $1.line }
        outcome.unread = survey.unread
        let detail: JSONObject = [
          "imported": .integer(outcome.imported), "updated": .integer(outcome.updated),
          "already_there": .integer(outcome.alreadyThere), "refused": .integer(outcome.refused.count),
        ]
        work.changes.audit.append(
          AuditEntry(action: "record.imported", subjectType: type.name, subjectID: "", detail: JSON(detail))
        )
        return outcome
      }
    }
  }

  private static func refusal(_ problems: [RefusedLine]) -> DomainError {
    let ordered = problems.sorted { $0.line < $1.line }
    let shown = ordered.prefix(5).map { "line \($0.line): \($0.reason)" }.joined(separator: "; ")
    let more = problems.count > 5 ? "; and \(problems.count - 5) more" : ""
    return DomainError(
      .invalidImport,
      "\(shown)\(more); nothing was imported",
      hint: "correct the file, or import the rest with --skip-bad FILE",
      details: ["lines": .array(ordered.prefix(100).map { .integer($0.line) })]
    )
  }
}

/// What the first pass over a file found.
struct ImportSurvey: Sendable {
  private(set) var good = 0
  private(set) var refused: [RefusedLine] = []
  private(set) var unread: [UnreadValue] = []
  /// For each reference, what the cells name.
  private(set) var named: [Set<String>]

  init(_ reader: ImportReader) throws {
    named = reader.targets.map { _ in [] }
    let references = reader.targets.map { if case .reference = $0 { true } else { false } }
    var good = 0
    var refused: [RefusedLine] = []
    var unread: [UnreadValue] = []
    var named = named
    try reader.read { line in
      good += 1
      unread += line.unread
      for (index, isReference) in references.enumerated() where isReference {
        if let name = line.cells[index] { named[index].insert(name) }
      }
    } bad: {
      refused.append($0)
    }
    self.good = good
    self.refused = refused
    self.unread = unread
    self.named = named
  }
}
