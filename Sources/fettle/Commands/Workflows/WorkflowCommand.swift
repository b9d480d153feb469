internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

struct WorkflowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workflow",
    abstract: "Check, draw and activate workflows",
    discussion: """
      Examples:
        fettle workflow show maintenance.entry --format svg > entry.svg
        fettle workflow install maintenance.entry parts.yaml --company acme
        fettle workflow activate maintenance.entry --version 2 --company acme
        fettle workflow overlay set strict.yaml --company acme
      """,
    subcommands: [List.self, Show.self, Lint.self, Install.self, Activate.self, Overlay.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List workflows and their versions",
      scope: .companyOrAll,
      discussion: """
        With --company, also shows the version that the company follows, and whether it
        has an overlay.

        Examples:
          fettle workflow list
          fettle workflow list --company acme
        """
    )
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let found = try await company.withWorkflows { workflows, acting in try await workflows.list(acting) }
      try output.print(
        Table(
          columns: [
            Column("workflow"), Column("version", kind: .number), Column("newest", kind: .number),
            Column("moving_to", kind: .number), Column("tightened"), Column("states"), Column("transitions"),
          ],
          rows: found.map { summary in
            [
              .string(summary.type), .integer(summary.definition.version),
              summary.versions.last.map { .integer($0) } ?? .null, summary.next.map { .integer($0) } ?? .null,
              .bool(summary.isTightened), .list(summary.definition.states.map { .string($0.name) }),
              .list(summary.definition.transitions.map { .string($0.name) }),
            ]
          }
        )
      )
    }
  }

  struct Activate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Move a company to another version of a workflow",
      scope: .companyOrAll,
      discussion: """
        Installing a new version of an app does not move companies: they stay on their
        versions, and only new companies start with the newest. Activation is refused
        if a record is in a state that the new version lacks and does not map under
        migrate:; the message counts the records per state. Records are moved in
        batches, each record with a history entry. Run the command again after an
        interruption.

        --all skips archived companies, lists refusals and continues.

        Examples:
          fettle workflow activate maintenance.entry --version 2 --company acme
          fettle workflow activate maintenance.entry --version 2 --all --dry-run
        """
    )
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions
    @Argument(help: "Workflow, such as maintenance.entry") var workflow: String
    @Option(help: "Version to follow (default: the newest)") var version: Int?
    @Flag(help: "All companies that are not archived") var all = false
    @Flag(help: "Count the records that would move, without moving them") var dryRun = false

    func validate() throws {
      guard all != company.isNamed else {
        throw ValidationError("add either --company or --all")
      }
    }

    func run() async throws {
      try await all ? activateAll() : activateOne()
    }

    private func activateOne() async throws {
      try await company.withActingContext { services, acting in
        let workflows = Workflows(services, try await Records.open(services))
        let outcome = try await activate(acting, workflows)
        try output.print(ActivationText.table(outcome))
        Message.tell(ActivationText.sentence(outcome, acting, dryRun: dryRun))
        if !dryRun { _ = try await workflows.dropSuperseded(workflow) }
      }
    }

    private func activateAll() async throws {
      try await company.connection.withServices { services in
        let workflows = Workflows(services, try await Records.open(services))
        var rows: [[Cell]] = []
        var refused = 0
        for row in try await Companies(services).list()
        where row.status.permits(.read) {
          let acting = ActingContext(company: row, actor: .operator(Operator.name), user: nil)
          do {
            let outcome = try await activate(acting, workflows)
            rows.append([
              .string(row.slug), .string(outcome.changed ? dryRun ? "would move" : "moved" : "is there"),
              .integer(dryRun ? outcome.plan.moving : outcome.moved), .null, .null,
            ])
          } catch let error as DomainError {
            refused += 1
            rows.append([
              .string(row.slug), .string("refused"), .integer(0), .string(error.code.rawValue),
              .string(error.message),
            ])
          }
        }
        try output.print(
          Table(
            columns: [
              Column("company"), Column("result"), Column("records", kind: .number), Column("code"),
              Column("reason", kind: .advice),
            ],
            rows: rows
          )
        )
        if !dryRun { _ = try await workflows.dropSuperseded(workflow) }
        guard refused == 0 else {
          throw DomainError(
            .statesStillUsed,
            "\(refused) of \(rows.count) companies stay on their previous version"
          )
        }
      }
    }

    private func activate(_ acting: ActingContext, _ workflows: Workflows) async throws -> Activation {
      var number = version
      if number == nil { number = try await workflows.show(workflow, acting).versions.last }
      let bar = ProgressBar("\(acting.company.slug) \(workflow)", unit: "records", total: nil, on: .errors)
      defer { bar.finish() }
      return try await workflows.activate(
        acting,
        type: workflow,
        version: number ?? 1,
        dryRun: dryRun,
        progress: { done, _ in bar.advance(to: done) }
      )
    }
  }
}

/// Formats the result of an activation or its dry run for people.
enum ActivationText {
  static func table(_ activation: Activation) -> Table {
    Table(
      columns: [Column("status"), Column("records", kind: .number), Column("becomes")],
      rows: activation.plan.lines.map { line in
        let becomes: String =
          switch line.fate {
          case .stays: line.status
          case .moves(let to): to
          case .lost: "nothing"
          }
        return [.string(line.status), .integer(line.count), .string(becomes)]
      }
    )
  }

  static func sentence(_ activation: Activation, _ acting: ActingContext, dryRun: Bool) -> String {
    let version = "version \(activation.plan.next) of \(activation.type)"
    guard activation.changed else { return "\(acting.company.slug) follows \(version) already" }
    let count = dryRun ? activation.plan.moving : activation.moved
    let records = "\(count) \(count == 1 ? "record" : "records")"
    return dryRun
      ? "\(acting.company.slug) would follow \(version); \(records) would move"
      : "\(acting.company.slug) follows \(version) now; \(records) moved"
  }
}

extension CompanyOptions {
  /// Runs a command's body with the workflows, and with the acting context if a company is named.
  func withWorkflows<Value>(_ body: (Workflows, ActingContext?) async throws -> Value) async throws -> Value {
    guard isNamed else {
      return try await connection.withServices { services in
        try await body(Workflows(services, try await Records.open(services)), nil)
      }
    }
    return try await withActingContext { services, acting in
      try await body(Workflows(services, try await Records.open(services)), acting)
    }
  }
}
