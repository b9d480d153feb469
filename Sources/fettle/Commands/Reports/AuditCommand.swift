internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
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
        let records = try await Records.open(services)
        let names = try await records.names(acting, of: Self.records(of: lines, records.catalogue))
        let rows: [[Cell]] = try lines.map { line in
          [
            Cell(line.at), .string(who(line)), .string(line.actorKind), .string(line.actor),
            .optional(line.onBehalfOf), .string(line.action), .string(line.subjectType),
            .string(output.isForPeople ? subject(line, names) : line.subject),
            .string(line.subjectID), Self.detail(try line.detail.value()),
          ]
        }
        try output.print(
          Table(
            columns: [
              Column("at", kind: .instant), Column("who"), Column("actor_kind"), Column("actor"),
              Column("on_behalf_of"), Column("action", kind: .id), Column("subject_type"),
              Column("subject", kind: .advice), Column("subject_id", kind: .id), Column("detail"),
            ],
            rows: rows
          ),
          forPeople: ["at", "action", "who", "subject", "detail"]
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

    /// Returns the ids of changed records, by type.
    private static func records(of lines: [AuditLine], _ catalogue: TypeCatalogue) -> [String: Set<UUID>] {
      var ids: [String: Set<UUID>] = [:]
      for line in lines where catalogue.types.contains(where: { $0.name == line.subjectType }) {
        if let id = UUID(text: line.subjectID) { ids[line.subjectType, default: []].insert(id) }
      }
      return ids
    }

    /// Returns what was changed so that it fits beside the other columns: `entry WO-1003`, or the beginning of an id.
    private func subject(_ line: AuditLine, _ names: ReferenceNames) -> String {
      let isID = line.subject == line.subjectID && UUID(text: line.subjectID) != nil
      guard isID || line.subjectType.contains(".") else { return line.subject }
      let name = names[line.subjectID] ?? String(line.subjectID.prefix(13))
      return "\(line.subjectType.split(separator: ".").last ?? "") \(name)"
    }

    /// Returns the member who acted or was acted for; for an operator, also the operator's account.
    private func who(_ line: AuditLine) -> String {
      guard line.actorKind == Actor.Kind.operator.rawValue else { return line.onBehalfOf ?? line.actor }
      return line.onBehalfOf.map { "\($0) (by operator \(line.actor))" } ?? "operator \(line.actor)"
    }
  }
}
