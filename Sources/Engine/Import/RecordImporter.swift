internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Imports records from a file: with history entries of kind `import`, without timers and notices.
///
/// The file is read twice if its notation is not the usual one. The first pass finds out the notation and checks every
/// line without a database; the lines of a large file are read once more. The second one recognises the records of
/// earlier imports and inserts the others in batches within one transaction, so that an import is complete or absent.
package struct RecordImporter: Sendable {
  /// Receives the numbers of processed and of valid lines.
  package typealias Progress = @Sendable (_ done: Int, _ total: Int) -> Void

  /// The number of lines per batch. A batch fits into the socket's buffer, so that the server inserts it
  /// while the next lines are decided.
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
  ///   - path: the file's path; `-` for standard input. A stream is copied, because it is read twice.
  ///   - name: the name by which the import is listed; nil for the end of the path.
  ///   - dryRun: true to write and roll back.
  ///   - progress: called after every 500 lines and at the end.
  /// - Throws: `invalid_import` naming the refused lines, unless the plan skips them; also `unknown_fields`,
  ///   `missing_fields`, `forbidden`, `quota_exceeded`; `guard_refused` and the errors of
  ///   ``ImportStatusRule/guards(for:)`` for a status to which the actor could not bring the records.
  package func run(
    _ acting: ActingContext,
    path: String,
    name: String? = nil,
    plan: ImportPlan,
    dryRun: Bool = false,
    progress: @escaping Progress = { _, _ in }
  ) async throws -> ImportOutcome {
    let type = try await records.followedType(plan.type, acting)
    let file = try SpooledFile(path)
    defer { file.close() }
    let hasRule = records.rules[type.name] != nil
    let choices = try await services.choices(of: type, acting)
    var first = try ImportReader(
      type: type,
      plan: plan,
      path: file.path,
      hasRule: hasRule,
      choices: choices,
      echoes: try type.echoes(records.catalogue)
    )
    let findsFormer = try await hasRecords(of: type, acting)
    let survey = try await ImportSurvey.of(&first, acting, findsFormer: findsFormer, services.database)
    let status = try ImportStatus(type: type, plan: plan)
    let context = acting.context(requestID: services.ids.next(), mode: .import)
    let references = ImportReferences(
      records: records,
      type: type,
      plan: plan,
      targets: first.targets,
      constants: first.mapping.constants,
      echoed: Set(first.mapping.echoes.map(\.target)),
      named: survey.named
    )
    if !plan.skipsBad, !survey.refused.isEmpty {
      throw Self.refusal(survey.refused, lastGood: survey.lastGood)
    }
    try await requireWriter(of: type, acting)
    let reservation = NumberReservation(
      database: services.database,
      type: type,
      company: acting.company.id
    )
    let attempt = Attempt(
      records: records,
      type: type,
      acting: acting,
      plan: plan,
      fixed: try first.givenFields(),
      reader: first,
      survey: survey,
      status: status,
      references: references,
      fileName: name ?? (path == "-" ? "" : String(path.split(separator: "/").last?.suffix(200) ?? "")),
      request: context.requestID,
      progress: progress
    )
    return try await records.explaining {
      try await reservation.around(survey.good) { numbers in
        func perform(isCareful: Bool) async throws -> ImportOutcome {
          var outcome = try await records.work.perform(context, dryRun: dryRun) { work in
            work.numbers.blocks[type.name] = numbers
            return try attempt.run(isCareful: isCareful, in: &work)
          }
          if dryRun { outcome.number = nil }
          return outcome
        }
        do {
          return try await perform(isCareful: false)
        } catch let error as PostgresError where error.isRefusalOfValue {
          // PostgreSQL refused a value of some line.
          return try await perform(isCareful: true)
        }
      }
    }
  }

  /// One attempt to write a file.
  private struct Attempt: Sendable {
    let records: Records
    let type: RecordType
    let acting: ActingContext
    let plan: ImportPlan
    let fixed: JSONObject
    let reader: ImportReader
    let survey: ImportSurvey
    let status: ImportStatus
    let references: ImportReferences
    let fileName: String
    let request: UUID
    let progress: Progress

    /// - Parameter isCareful: true to write within savepoints, and to refuse the lines whose values PostgreSQL refuses.
    func run(isCareful: Bool, in work: inout Work) throws -> ImportOutcome {
      let (access, limits) = try work.read { pipeline in
        pipeline.rows(QuotaStore.concerning(type.name, company: acting.company.id), as: QuotaRow.self)
      }
      var outcome = ImportOutcome()
      let rule = try type.workflow.map { workflow in
        ImportStatusRule(workflow: workflow, rights: try Rights(acting, access).kernel(acting, type))
      }
      var resolved = references
      try resolved.resolve(acting, access, isCareful: isCareful, &work, &outcome)
      let recognition = try ImportRecognition(survey, type, reader, acting, work)
      let former = plan.repeats ? FormerLines() : try FormerLines(type, acting, work)
      var run = try ImportRun(
        records: records,
        type: type,
        acting: acting,
        access: access,
        reader: reader,
        survey: survey,
        recognition: recognition,
        former: former,
        references: resolved,
        insert: BatchInsert(
          records,
          type: type,
          acting: acting,
          access: access,
          status: status,
          rule: rule,
          targets: reader.targets,
          size: RecordImporter.batchSize,
          isCareful: isCareful
        ),
        fixed: fixed,
        status: plan.fixed.contains { $0.column == "status" } ? status.usual?.0 : nil,
        isCareful: isCareful,
        outcome: outcome
      )
      run.outcome.refused = survey.refused
      run.outcome.form = survey.form
      run.outcome.equal = survey.equal
      try survey.forEachLine(reader) { line in
        try run.take(line, &work)
        if run.taken % RecordImporter.batchSize == 0 { progress(run.taken, survey.good) }
      }
      try run.finish(&work)
      try records.quotas.requireKept(limits.all, of: type, records.catalogue, access, work)
      outcome = run.outcome
      if !plan.skipsBad, !outcome.refused.isEmpty {
        throw RecordImporter.refusal(outcome.refused, lastGood: nil)
      }
      progress(survey.good, survey.good)
      outcome.refused.sort { $0.line < $1.line }
      outcome.unread = survey.unread
      let insert = run.creations.insert
      work.changes.audit += RecordImporter.audit(
        outcome,
        placed: insert.placed,
        past: insert.pastColumns,
        rule,
        type
      )
      outcome.number = try number(outcome, run.made(), access, work)
      return outcome
    }

    /// Returns who has imported: the member, and the operator who has acted as the member.
    private static func actor(_ acting: ActingContext, _ access: Access) -> String {
      guard let name = acting.actor.name else { return access.userName ?? "" }
      return access.userName.map { "\($0) (by \(name))" } ?? name
    }

    /// Takes the number of the import; nil if it wrote nothing.
    ///
    /// - Parameter lines: the digests of the lines that have made records.
    private func number(_ outcome: ImportOutcome, _ lines: [LineDigest], _ access: Access, _ work: Work)
      throws
      -> Int64?
    {
      let changed = outcome.updated + outcome.completed
      let created = outcome.created.values.reduce(0, +)
      guard outcome.imported + changed + created > 0 else { return nil }
      let company = acting.company.id
      _ = try work.transaction.value(ImportStore.pass(company: company), as: String.self)
      return try work.transaction.value(
        ImportStore.insert(
          company: company,
          type: type.name,
          file: fileName,
          request: request,
          owner: try type.feedOwner(acting.user),
          actor: Self.actor(acting, access),
          at: access.now,
          counts: (outcome.imported, changed, created),
          lines: LineDigest.bytes(lines)
        ),
        as: Int64.self
      )
    }
  }

  /// Returns the audit entries of an import. Statuses that only an operator's act explains have an entry of
  /// their own.
  private static func audit(
    _ outcome: ImportOutcome,
    placed: [String: Int],
    past: Set<String>,
    _ rule: ImportStatusRule?,
    _ type: RecordType
  ) -> [AuditEntry] {
    let statuses = JSONObject(placed.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })
    var detail: JSONObject = [
      "imported": .integer(outcome.imported), "updated": .integer(outcome.updated),
      "completed": .integer(outcome.completed),
      "already_there": .integer(outcome.alreadyThere), "refused": .integer(outcome.refused.count),
    ]
    if !past.isEmpty { detail["past"] = .strings(past.sorted()) }
    if !placed.isEmpty { detail["statuses"] = .object(statuses) }
    func entry(_ action: String, _ detail: JSONObject) -> AuditEntry {
      AuditEntry(action: action, subjectType: type.name, subjectID: "", detail: JSON(detail))
    }
    var entries = [entry("record.imported", detail)]
    if !placed.isEmpty, rule?.isUnrestricted == true {
      entries.append(entry("record.status_imported", statuses))
    }
    return entries
  }

  /// Checks that the actor may write records of the type, before numbers are reserved: a reservation locks the
  /// series, and a refused import must not.
  private func requireWriter(of type: RecordType, _ acting: ActingContext) async throws {
    try await CompanyAdministration(services).read(acting, permission: nil) { _, rights in
      guard !rights.holds("\(type.name).update") else { return }
      try rights.require("\(type.name).create", for: .read)
    }
  }

  /// True if the company has records of the type, deleted ones included.
  private func hasRecords(of type: RecordType, _ acting: ActingContext) async throws -> Bool {
    try await services.database.transaction(
      .inside(acting.company.id, user: acting.user, readOnly: true)
    ) { tx in
      try tx.value(
        "select exists (select from \(type.table) t where t.company_id = \(acting.company.id))",
        as: Bool.self
      )
    }
  }

  /// - Parameter lastGood: the number of the last line that can be imported; nil if unknown, 0 if there is none.
  private static func refusal(_ problems: [RefusedLine], lastGood: Int?) -> DomainError {
    let ordered = problems.sorted { $0.line < $1.line }
    let shown = ordered.prefix(5).map { "line \($0.line): \($0.reason)" }.joined(separator: "; ")
    let more = problems.count > 5 ? "; and \(problems.count - 5) more" : ""
    let isEncoding = problems.contains { $0.reason == ImportFault.notUTF8 }
    let unreadable = Set(problems.compactMap(\.unreadable)).sorted()
    var rest = "correct the file, or import the rest with `--skip-bad FILE`"
    // Totals and remarks below the table.
    let below = ordered.filter { $0.line > lastGood ?? .max }
    if let lastGood, lastGood > 0, (1...5).contains(below.count),
      below.allSatisfy({ $0.word == nil && $0.unreadable == nil })
    {
      rest = "`--last-line \(lastGood)` leaves out the lines after line \(lastGood); or correct the file"
    }
    if let word = ordered.lazy.compactMap(\.word).first {
      rest += "; `--values \"\(word)=…\"` says what a word of the file means"
    }
    if let number = ordered.lazy.compactMap(\.formerImport).first {
      rest =
        "map the columns as import \(number) did, or undo it with `fettle record import undo \(number)`; `--again` imports the lines a second time"
    }
    let empty = unreadable.map { "`--empty-if-unreadable \($0)`" }.joined(separator: " ")
    return DomainError(
      .invalidImport,
      "\(shown)\(more); nothing was imported",
      hint: isEncoding
        ? "name the file's encoding, such as `--encoding windows-1252`"
        : unreadable.isEmpty ? rest : "\(rest); \(empty) leaves such a value empty",
      details: [
        "lines": .array(ordered.prefix(100).map { .integer($0.line) }),
        "codes": .strings(ordered.prefix(100).map(\.code.rawValue)),
      ]
    )
  }
}
