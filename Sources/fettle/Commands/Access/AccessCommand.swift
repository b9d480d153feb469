internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct AccessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "access",
    abstract: "Explain access decisions",
    discussion: "Example: fettle access explain --user ana --do member.suspend --company acme",
    subcommands: [Explain.self]
  )

  struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show each step of an access decision",
      scope: .company,
      discussion: """
        Exit code 0 if access is allowed, 4 if not.

        Examples:
          fettle access explain --user ana --do maintenance.entry.complete -c acme
          fettle access explain --user ana --do maintenance.machine.update \\
            --on RM-001 --company acme
        """
    )
    @Option(
      help: ArgumentHelp("Member in question", valueName: "member"),
      completion: .custom { words, _, _ in await LiveCompletion.members(words) }
    )
    var user: String
    @Option(
      name: .customLong("do"),
      help: ArgumentHelp("Permission in question", valueName: "permission"),
      completion: .custom { _, _, _ in await LiveCompletion.permissions() }
    )
    var permission: String
    @Option(help: ArgumentHelp("Record in question, of the permission's type", valueName: "[type:]record"))
    var on: String?
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let decision = try await company.withActingContext { services, acting in
        let answer = try await AccessExplainer(services).explain(
          acting,
          member: user,
          permission: permission,
          on: try on.map { try AccessExplainer.Subject(parsing: $0, permission: permission) }
        )
        try print(answer, acting)
        return answer.decision
      }
      if !decision.isAllowed { throw ArgumentParser.ExitCode(Terminal.ExitCode.denied.rawValue) }
    }

    private func print(_ answer: AccessExplainer.Answer, _ acting: ActingContext) throws {
      let decision = answer.decision
      let verdict = decision.isAllowed ? "may" : "may not"
      let record = on.map { " on \($0)" } ?? ""
      if output.output == .table, output.columns == nil {
        let columns = [Column("step"), Column("passed"), Column("finding")]
        let rows: [[Cell]] = decision.steps.map { [.string($0.name), .bool($0.passed), .string($0.finding)] }
        try output.print(Table(columns: columns, rows: rows))
      }
      try output.report(
        "\(answer.member.name) \(verdict) \(answer.permission)\(record) in \(acting.company.slug)",
        [
          (Column("member"), .string(answer.member.email)),
          (Column("permission"), .string(answer.permission.name)),
          (Column("on"), .optional(on)), (Column("allowed"), .bool(decision.isAllowed)),
          (Column("code"), .optional(decision.refusal?.code.rawValue)),
          (
            Column("steps"),
            .list(
              decision.steps.map {
                .nested([
                  .init("step", .string($0.name)), .init("passed", .bool($0.passed)),
                  .init("finding", .string($0.finding)),
                ])
              }
            )
          ),
        ]
      )
    }
  }
}
