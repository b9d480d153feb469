internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct RetentionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retention",
    abstract: "Show and change for how long a company keeps what",
    discussion: """
      Subjects are sign_ins, audit, notices, deliveries, and record types: of these,
      deleted and closed records to which no other record refers. Without a rule,
      everything is kept. A job removes every night what is due.

      Examples:
        fettle retention set audit --days 730 --company acme
        fettle retention set maintenance.entry --days 3650 --company acme
        fettle retention set '*' --hold "claim 17 of 2026" --company acme
        fettle retention show --company acme
      """,
    subcommands: [Show.self, Set.self]
  )

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the rules, and what the next run removes",
      scope: .company,
      discussion: "Example: fettle retention show --company acme"
    )
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await company.withActingContext { services, acting in
        let rules = try await Retention(services).show(acting)
        try output.print(
          Table(
            columns: [
              Column("subject"), Column("days", kind: .number), Column("hold"), Column("due", kind: .number),
            ],
            rows: rules.map { rule in
              [
                .string(rule.subject), rule.days.map { .integer($0) } ?? .null, .optional(rule.hold),
                .integer(Int(clamping: rule.due)),
              ]
            }
          )
        )
      }
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change the rule of a subject",
      scope: .company,
      discussion: """
        `fettle retention show` counts what the next run removes.

        Examples:
          fettle retention set notices --days 90 --company acme
          fettle retention set notices --keep --company acme
        """
    )
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: AdministrationOptions
    @Argument(help: "Subject or record type; * for all") var subject: String
    @Option(help: ArgumentHelp("Days after which it is removed", valueName: "number")) var days: Int?
    @Flag(help: "Keep it: no days") var keep = false
    @Option(help: ArgumentHelp("Reason of a legal hold, which keeps it", valueName: "reason")) var hold:
      String?
    @Flag(help: "End the legal hold") var release = false

    func validate() throws {
      guard [days != nil, keep, hold != nil, release].count(where: \.self) == 1 else {
        throw ValidationError("use one of --days, --keep, --hold and --release")
      }
      guard days.map({ (1...36_500).contains($0) }) ?? true else {
        throw ValidationError("--days is 1 to 36500")
      }
      guard hold.map({ !$0.allSatisfy(\.isWhitespace) && $0.unicodeScalars.count <= 200 }) ?? true else {
        throw ValidationError("--hold is a reason of at most 200 characters")
      }
    }

    private var change: Retention.Change {
      if let days { return .days(days) }
      if let hold { return .hold(hold) }
      return keep ? .keep : .release
    }

    func run() async throws {
      try await key.change(company, output) { services, acting in
        try await Retention(services).set(acting, subject, change)
        let rule = try await Retention(services).show(acting).first { $0.subject == subject }
        let days = rule?.days.map { "removed after \($0) days" } ?? "kept"
        return ChangeReport(
          "\(subject) of \(acting.company.slug): \(rule?.hold.map { "held: \($0)" } ?? days), \(rule?.due ?? 0) due",
          [
            (Column("subject"), .string(subject)),
            (Column("days", kind: .number), rule?.days.map { .integer($0) } ?? .null),
            (Column("hold"), .optional(rule?.hold)),
            (Column("due", kind: .number), .integer(Int(clamping: rule?.due ?? 0))),
          ]
        )
      }
    }
  }
}
