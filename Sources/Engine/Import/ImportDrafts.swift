package import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store

/// The files that people have sent to import, with what they chose for them.
package struct ImportDrafts: Sendable {
  /// The most bytes of a file.
  package static let mostBytes = 33_554_432
  /// The most files of a person that wait to be imported; older ones are given up.
  private static let mostOpen = 5
  /// The most files of a person that are remembered, with what was chosen for them.
  private static let mostKept = 50

  let services: Services
  let records: Records

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
  }

  /// Keeps a file, with the columns that were chosen for the last file of the same type. Other choices are about one
  /// file alone.
  ///
  /// - Throws: `invalid_import` for an empty file, `payload_too_large`, `forbidden` without a right to create or change
  ///   such records.
  package func begin(_ acting: ActingContext, type: String, name: String, _ bytes: [UInt8]) async throws
    -> UUID
  {
    guard let user = acting.user else {
      throw DomainError(.forbidden, "an operator imports at the command line")
    }
    guard !bytes.isEmpty else { throw DomainError(.invalidImport, "the file is empty") }
    guard bytes.count <= Self.mostBytes else {
      throw DomainError(.payloadTooLarge, "a file has at most 32 MB", hint: "import it at the command line")
    }
    let type = try await records.followedType(type, acting)
    try await requireWriter(of: type, acting)
    let id = services.ids.next()
    try await services.database.transaction(.inside(acting.company.id, user: user)) { tx in
      let company = acting.company.id
      let columns = try tx.rows(
        """
        select coalesce(f.choices -> 'columns', '{}') from core.import_file f
        where f.company_id = \(company) and f.user_id = \(user) and f.record_type = \(type.name)
        order by f.created_at desc limit 1
        """,
        JSON.self
      ).first
      var choices = ImportChoices()
      choices.columns = try columns?.decoded(as: [String: String].self) ?? [:]
      let kept = try JSON(encoding: choices)
      try tx.execute(
        """
        insert into core.import_file (company_id, id, user_id, record_type, name, content, choices)
        values (
          \(company), \(id), \(user), \(type.name), \(Self.shortened(name)), \(bytes), \(kept)
        )
        """
      )
      try tx.execute(
        """
        update core.import_file f set content = null, updated_at = now()
        where f.company_id = \(company) and f.user_id = \(user) and f.content is not null and f.state <> 'running'
          and (f.created_at < now() - interval '2 days' or f.id not in (
            select g.id from core.import_file g
            where g.company_id = \(company) and g.user_id = \(user) and g.content is not null
            order by g.created_at desc limit \(Self.mostOpen)
          ))
        """
      )
      try tx.execute(
        """
        delete from core.import_file f
        where f.company_id = \(company) and f.user_id = \(user) and f.state <> 'running' and f.id not in (
          select g.id from core.import_file g where g.company_id = \(company) and g.user_id = \(user)
          order by g.created_at desc limit \(Self.mostKept)
        )
        """
      )
    }
    return id
  }

  /// Returns a file of the acting person.
  ///
  /// - Throws: `not_found`.
  package func find(_ acting: ActingContext, _ id: UUID) async throws -> ImportDraft {
    let draft = try await services.database.transaction(
      .inside(acting.company.id, user: acting.user, readOnly: true)
    ) { tx in
      try tx.first(
        """
        select f.id, f.record_type, f.name, f.choices, f.state, f.outcome, f.content is not null, f.updated_at
        from core.import_file f where f.company_id = \(acting.company.id) and f.id = \(id)
        """,
        as: ImportDraft.self
      )
    }
    guard let draft else { throw DomainError(.notFound, "there is no such file to import") }
    return draft
  }

  /// Returns the files of the acting person that are not imported yet, the newest first.
  package func open(_ acting: ActingContext) async throws -> [ImportDraft] {
    try await services.database.transaction(
      .inside(acting.company.id, user: acting.user, readOnly: true)
    ) { tx in
      try tx.rows(
        """
        select f.id, f.record_type, f.name, f.choices, f.state, f.outcome, true, f.updated_at
        from core.import_file f
        where f.company_id = \(acting.company.id) and f.user_id = \(nullable: acting.user)
          and f.content is not null and f.state <> 'done'
        order by f.created_at desc limit \(Self.mostKept)
        """,
        as: ImportDraft.self
      )
    }
  }

  /// Keeps what a person has chosen.
  ///
  /// - Throws: `wrong_state` for a file that is imported or given up.
  package func keep(_ acting: ActingContext, _ draft: ImportDraft, _ choices: ImportChoices) async throws {
    let object = try JSON(encoding: choices)
    let count = try await services.database.transaction(.inside(acting.company.id, user: acting.user)) { tx in
      try tx.execute(
        """
        update core.import_file f set choices = \(object), updated_at = now()
        where f.company_id = \(acting.company.id) and f.id = \(draft.id)
          and f.state not in ('running', 'done') and f.content is not null
        """
      )
    }
    guard count > 0 else { throw Self.gone }
  }

  /// Tries a file: what its lines would be, and what an import would do. Nothing is written.
  ///
  /// - Parameters:
  ///   - choices: what was chosen; nil for the proposal.
  ///   - words: what people call the columns, by column.
  package func trial(
    _ acting: ActingContext,
    _ draft: ImportDraft,
    _ choices: ImportChoices?,
    words: [String: [String]]
  ) async throws -> (trial: ImportTrial, choices: ImportChoices) {
    let type = try await records.followedType(draft.type, acting)
    var chosen = choices ?? draft.choices
    var trial = ImportTrial()
    let values = try await services.choices(of: type, acting)
    return try await withFile(acting, draft) { path in
      do {
        // The line with the headings is the first one with a word for a column.
        let known = Set(chosen.columns.keys)
        trial.headings = try ImportTrial.headings(of: path, chosen.layout(of: draft.name), type: type) {
          found in
          let proposed = ImportProposal.columns(
            for: found.sorted(),
            of: type,
            words: words,
            remembered: [:],
            isExact: true
          )
          let count = proposed.values.count { !$0.isEmpty }
          return !known.isDisjoint(with: found) || count * 2 > found.count || count > 2
        }
        let proposed = ImportProposal.columns(
          for: trial.headings,
          of: type,
          words: words,
          remembered: chosen.columns
        )
        // Headings that nobody has seen before, such as those of another line, get the proposal.
        let given = (choices?.columns ?? [:]).filter { proposed[$0.key] != nil }
        chosen.columns = proposed.merging(given) { $1 }
        let plan = try chosen.plan(type.name, name: draft.name, skipsBad: true)
        guard !plan.mapping.isEmpty else {
          throw DomainError(.invalidImport, "no column of the file is chosen")
        }
        let hasRule = records.rules[type.name] != nil
        try await trial.read(path, type, plan, hasRule: hasRule, choices: values, acting, services.database)
        trial.outcome = try await RecordImporter(services, records).run(
          acting,
          path: path,
          name: draft.name,
          plan: plan,
          dryRun: true
        )
      } catch let error as DomainError where error.category == .invalid || error.code == .notFound {
        trial.fault = error
      }
      return (trial, chosen)
    }
  }

  /// Imports a file with its choices.
  ///
  /// - Throws: `wrong_state` if it is being imported, was imported or is given up; the errors of ``RecordImporter``.
  package func run(_ acting: ActingContext, _ draft: ImportDraft, progress: @escaping RecordImporter.Progress)
    async throws -> ImportOutcome
  {
    let company = acting.company.id
    let begun = try await services.database.transaction(.inside(company, user: acting.user)) { tx in
      try tx.execute(
        """
        update core.import_file f set state = 'running', outcome = null, updated_at = now()
        where f.company_id = \(company) and f.id = \(draft.id) and f.content is not null
          and (f.state in ('open', 'failed') or f.updated_at < now() - interval '15 minutes')
        """
      )
    }
    guard begun > 0 else { throw Self.gone }
    do {
      let plan = try draft.choices.plan(draft.type, name: draft.name, skipsBad: draft.choices.skipsBad)
      let outcome = try await withFile(acting, draft) { path in
        try await RecordImporter(services, records).run(
          acting,
          path: path,
          name: draft.name,
          plan: plan,
          progress: progress
        )
      }
      let summary = try JSON(encoding: ImportSummary(outcome))
      try await end(acting, draft, "done", summary, keepsFile: !outcome.refused.isEmpty)
      return outcome
    } catch let error as DomainError {
      let fault: JSONObject = [
        "code": .string(error.code.rawValue), "message": .string(error.message),
        "hint": .string(error.hint),
      ]
      try await end(acting, draft, "failed", JSON(fault))
      throw error
    }
  }

  private static let gone = DomainError(
    .wrongState,
    "the file is being imported, was imported or is given up",
    hint: "send it again"
  )

  /// Notes how an import ended. A file with lines that were refused is kept, to give them back.
  private func end(
    _ acting: ActingContext,
    _ draft: ImportDraft,
    _ state: String,
    _ outcome: JSON,
    keepsFile: Bool = false
  ) async throws {
    _ = try await services.database.transaction(.inside(acting.company.id, user: acting.user)) { tx in
      try tx.execute(
        """
        update core.import_file f set state = \(state), outcome = \(outcome), updated_at = now(),
          content = case when \(state == "done" && !keepsFile) then null else f.content end
        where f.company_id = \(acting.company.id) and f.id = \(draft.id)
        """
      )
    }
  }

  /// Runs a body with the file in a folder of its own, which is removed afterwards.
  private func withFile<Value>(
    _ acting: ActingContext,
    _ draft: ImportDraft,
    _ body: (String) async throws -> Value
  ) async throws -> Value {
    let bytes = try await services.database.transaction(
      .inside(acting.company.id, user: acting.user, readOnly: true)
    ) { tx in
      try tx.rows(
        """
        select f.content from core.import_file f
        where f.company_id = \(acting.company.id) and f.id = \(draft.id) and f.content is not null
        """,
        [UInt8].self
      ).first
    }
    guard let bytes else { throw Self.gone }
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "fettle-import-\(services.ids.next().text)"
    )
    try FileManager.default.createDirectory(
      at: folder,
      withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700]
    )
    defer { try? FileManager.default.removeItem(at: folder) }
    let format = FileLayout.Format(path: draft.name)
    let path = folder.appending(path: format == .jsonl ? "file.jsonl" : "file.csv")
    try Data(bytes).write(to: path)
    return try await body(path.path(percentEncoded: false))
  }

  private func requireWriter(of type: RecordType, _ acting: ActingContext) async throws {
    try await CompanyAdministration(services).read(acting, permission: nil) { _, rights in
      guard !rights.holds("\(type.name).update") else { return }
      try rights.require("\(type.name).create", for: .read)
    }
  }

  /// Returns the end of a path, short enough for its column.
  private static func shortened(_ name: String) -> String {
    let last = name.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
    let clean = String(
      last.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.map(Character.init)
    )
    return clean.isEmpty ? "file.csv" : String(clean.suffix(200))
  }
}

/// A file that somebody has sent to import.
package struct ImportDraft: Sendable, RowDecodable {
  package let id: UUID
  /// The name of the records' type.
  package let type: String
  /// The name of the file.
  package let name: String
  package let choices: ImportChoices
  /// `open`, `running`, `done` or `failed`.
  package let state: String
  /// What the import did, or why it failed; nil before it.
  package let outcome: JSONObject?
  /// True if the file is there.
  package let hasContent: Bool
  package let updatedAt: Instant

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    type = try row.next()
    name = try row.next()
    let kept: JSON = try row.next()
    choices = (try? kept.decoded(as: ImportChoices.self)) ?? ImportChoices()
    state = try row.next()
    let result: JSON? = try row.next()
    outcome = (try? result?.value())?.object
    hasContent = try row.next()
    updatedAt = try row.next()
  }
}

/// What is kept of an import after it has ended.
package struct ImportSummary: Codable, Sendable {
  package let number: Int64?
  package let imported: Int
  package let updated: Int
  package let completed: Int
  package let alreadyThere: Int
  /// The number of lines whose record has other values, which were kept, and the first of the lines.
  package let differing: Int
  package let differingLines: [Int]
  package let created: [String: Int]
  package let refused: Int
  package let unread: Int

  init(_ outcome: ImportOutcome) {
    number = outcome.number
    imported = outcome.imported
    updated = outcome.updated
    completed = outcome.completed
    alreadyThere = outcome.alreadyThere
    differing = outcome.differing.count
    differingLines = Array(outcome.differing.prefix(10))
    created = outcome.created
    refused = outcome.refused.count
    unread = outcome.unread.count
  }
}
