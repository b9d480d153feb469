internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Files
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Terminal

extension CompanyCommand {
  struct Erase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Erase a company with all its rows and files",
      scope: .namedCompany,
      discussion: """
        Archives the company, and erases it after a grace period; until then,
        `fettle company activate` or --cancel keeps it. With --now, erases it at once.
        An erasure that was interrupted is continued by running the command again, or
        by a worker. Accounts of people stay: see `fettle person erase`.

        --dry-run counts what would be erased. --proof counts what is left afterwards,
        in every table, in the texts of every table, and in the store of files. Exit
        code 8 if anything is left.

        Examples:
          fettle company erase acme --dry-run
          fettle company erase acme --after 30d
          fettle company erase acme --now --yes
          fettle company erase acme --proof --name "Acme AB"
        """
    )
    @OptionGroup var company: CompanyArgument
    @OptionGroup var storage: BlobOptions
    @OptionGroup var output: OutputOptions
    @Option(help: ArgumentHelp("Grace period (default: 30d)", valueName: "span")) var after: TimeSpan?
    @Flag(help: "Erase at once") var now = false
    @Flag(help: "Count what would be erased, and change nothing") var dryRun = false
    @Flag(help: "Keep the company: cancel the waiting erasure") var cancel = false
    @Flag(help: "Count what is left of an erased company") var proof = false
    @Option(help: ArgumentHelp("With --proof, another text to look for; repeatable", valueName: "text"))
    var name: [String] = []
    @Flag(help: "Do not ask for confirmation") var yes = false

    static let grace: Duration = .seconds(30 * 86_400)

    func validate() throws {
      guard [now, dryRun, cancel, proof, after != nil].count(where: \.self) <= 1 else {
        throw ValidationError("use one of --after, --now, --dry-run, --cancel and --proof")
      }
    }

    func run() async throws {
      if proof { return try await prove() }
      if dryRun { return try await survey() }
      if now, let erasure = try await started() { return try await erase(erasure) }
      try await company.withActingContext { services, acting in
        if cancel {
          try await CompanyErasures(services).cancel(acting)
          return try output.report(
            "\(acting.company.slug) is kept, and archived",
            [(Column("slug"), .string(acting.company.slug)), (Column("status"), "archived")]
          )
        }
        let question =
          "Erase \(acting.company.name) with all its records and files, so that nobody can restore it?"
        guard try Prompt().confirm(question, assumeYes: yes) else {
          return Message.tell("nothing was changed")
        }
        let grace = now ? .zero : after?.duration ?? Self.grace
        let request = try await CompanyErasures(services).request(acting, after: grace)
        if now { return try await erase(request.id, services.database) }
        try output.report(
          "\(acting.company.slug) is archived, and will be erased after \(request.due.rfc3339)",
          [
            (Column("slug"), .string(acting.company.slug)), (Column("erasure"), Cell(request.id)),
            (Column("due", kind: .instant), Cell(request.due)),
          ]
        )
      }
    }

    /// Returns the erasure of the named company if it has started, so that the company cannot be entered.
    private func started() async throws -> UUID? {
      try await company.connection.withServices { services in
        try await ErasureProof.find(company.company, services.database)?.erasure
      }
    }

    private func erase(_ erasure: UUID) async throws {
      try await company.connection.withServices { services in try await erase(erasure, services.database) }
    }

    private func erase(_ erasure: UUID, _ database: Database) async throws {
      let run = CompanyErasureRun(
        database,
        try storage.store(),
        try KeyLocation.ledger(),
        erasure: erasure,
        actor: .operator(Operator.name)
      )
      guard let outcome = try await run.run() else {
        return Message.tell("nothing to erase: the erasure is finished")
      }
      let rows = outcome.rows.values.reduce(0, +)
      try output.report(
        "erased \(company.company): \(rows) rows of \(outcome.rows.count) tables, \(outcome.files) files",
        [
          (Column("slug"), .string(company.company)), (Column("erasure"), Cell(erasure)),
          (Column("rows", kind: .number), .integer(Int(clamping: rows))),
          (Column("tables", kind: .number), .integer(outcome.rows.count)),
          (Column("files", kind: .number), .integer(outcome.files)),
        ]
      )
    }

    /// Prints what an erasure would remove, by table.
    private func survey() async throws {
      try await company.withActingContext { _, acting in
        let rows = try await company.connection.withReader {
          try await ErasureProof.count(of: acting.company.id, $0)
        }
        try output.print(
          Table(
            columns: [Column("table"), Column("rows", kind: .number), Column("bytes", kind: .number)],
            rows: rows.filter { !output.isForPeople || $0.count > 0 }.map {
              [.string($0.table), .integer(Int(clamping: $0.count)), .integer(Int(clamping: $0.bytes))]
            }
          )
        )
      }
    }

    /// Prints what is left.
    ///
    /// - Throws: exit code 8 if anything is; `wrong_state` if the company is not erased.
    private func prove() async throws {
      let found = try await company.connection.withServices { services in
        try await ErasureProof.find(company.company, services.database)
      }
      guard let found else {
        throw DomainError(
          .notFound,
          "no company \(Quoted(company.company)) was erased",
          hint: "name it by its former short name or its id"
        )
      }
      let store = try storage.store()
      let proof = try await company.connection.withReader {
        try await ErasureProof.take(of: found.company, names: [company.company] + name, $0, store)
      }
      try await company.connection.withServices { services in
        try await proof.record(erasure: found.erasure, by: .operator(Operator.name), services.database)
      }
      let lines =
        proof.rows.map { ("rows", $0.table, $0.count) } + proof.ids.map { ("id in text", $0.table, $0.count) }
        + [("files", store.place, Int64(proof.files ?? 0))]
        + proof.names.filter { $0.count > 0 }.map { ("name in text", $0.table, $0.count) }
      try output.print(
        Table(
          columns: [Column("what"), Column("place"), Column("found", kind: .number)],
          rows: lines.map { [.string($0.0), .string($0.1), .integer(Int(clamping: $0.2))] }
        )
      )
      if proof.files == nil { Message.tell("the bucket was not listed; its objects were removed by name") }
      if !proof.isEmpty { throw ArgumentParser.ExitCode(Terminal.ExitCode.differences.rawValue) }
    }
  }
}
