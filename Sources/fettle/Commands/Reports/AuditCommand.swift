internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Read the audit of people, roles and settings",
    discussion: """
      Changes of records are in their history: see `fettle record history`.

      Example: fettle audit --company acme --limit 20
      """,
    subcommands: [List.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List audit entries, newest first",
      scope: .company,
      discussion: """
        Examples:
          fettle audit list --company acme
          fettle audit list --company acme --where action=member.role_changed -o json
        """
    )
    @Option(help: "Maximum number of entries, before --where is applied") var limit = 100
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard (1...100_000).contains(limit) else { throw ValidationError("--limit is 1 to 100000") }
    }

    func run() async throws {
      try await company.withActingContext { services, acting in
        let lines = try await AuditTrail(services).newest(acting, limit: limit)
        let rows: [[Cell]] = try lines.map { line in
          [
            Cell(line.at), .string(who(line)), .string(line.actorKind), .string(line.actor),
            .optional(line.onBehalfOf), .string(line.action), .string(line.subjectType),
            .string(line.subject),
            .string(line.subjectID), Self.detail(try line.detail.value()),
          ]
        }
        try output.print(
          Table(
            columns: [
              Column("at", kind: .instant), Column("who"), Column("actor_kind"), Column("actor"),
              Column("on_behalf_of"), Column("action", kind: .status([:])), Column("subject_type"),
              Column("subject"),
              Column("subject_id"), Column("detail"),
            ],
            rows: rows
          ),
          forPeople: ["at", "who", "action", "subject", "detail"]
        )
        if lines.count == limit, output.output == .table {
          Message.tell("newest \(limit) shown; --limit shows more")
        }
      }
    }

    /// Returns the details as a cell: `from`, `to`, `name` and `role` first, then the others by key.
    private static func detail(_ value: JSONValue) -> Cell {
      let order = ["from", "to", "name", "role"]
      let members = (value.object ?? [:]).members.filter { $0.value != .array([]) }
      let sorted = members.sorted {
        (order.firstIndex(of: $0.key) ?? order.count, $0.key) < (
          order.firstIndex(of: $1.key) ?? order.count, $1.key
        )
      }
      return .nested(sorted.map { Cell.Field($0.key, Cell($0.value)) })
    }

    /// Returns the member who acted or was acted for; for an operator, also the operator's account.
    private func who(_ line: AuditLine) -> String {
      guard line.actorKind == Actor.Kind.operator.rawValue else { return line.onBehalfOf ?? line.actor }
      return line.onBehalfOf.map { "\($0) (by operator \(line.actor))" } ?? "operator \(line.actor)"
    }
  }
}
