internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Glibc
internal import Mail
internal import Secrets
internal import Store
internal import Terminal

struct MailCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mail",
    abstract: "Test the mail server and manage addresses",
    discussion: """
      Workers send mails: start them with --mail and --mail-from.

      Examples:
        fettle mail test --to you@example.com --mail smtps://mail.example.com \\
          --mail-from fettle@example.com --mail-secret-file mail.secret
        fettle mail list --company acme
      """,
    subcommands: [Test.self, List.self, Verify.self],
    defaultSubcommand: List.self
  )

  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send a test mail and print the server's answer",
      scope: .computer,
      discussion: """
        Examples:
          fettle mail test --to you@example.com --mail smtps://mail.example.com \\
            --mail-from fettle@example.com --mail-secret-file mail.secret
          fettle mail test --to you@example.com --mail sendmail:/usr/sbin/sendmail \\
            --mail-from fettle@example.com
        """
    )
    @Option(help: ArgumentHelp("Address of the recipient", valueName: "address")) var to: String
    @Option(
      help: ArgumentHelp("Language of the mail: en or sv", valueName: "language"),
      completion: .list(Language.allCases.map(\.rawValue))
    )
    var language = Language.english.rawValue
    @OptionGroup var mail: MailOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      guard let settings = try mail.settings() else {
        throw DomainError(.invalidInput, "no mail server is named", hint: "pass --mail, or set FETTLE_MAIL")
      }
      let recipient = try MailAddress(parsing: to)
      let message = Letters(try Language(parsing: language)).test().message(
        from: settings.from,
        to: recipient,
        messageID: "\(UUIDv7Generator.shared.next().uuidString.lowercased())@\(settings.from.host)",
        date: Instant(seconds: Int64(time(nil)))
      )
      switch await settings.mailer().send(message) {
      case .accepted(let answer):
        try output.report(
          "the mail server took the mail: \(answer.code) \(answer.text)",
          [
            (Column("to"), .string(recipient.address)), (Column("message_id"), .string(message.messageID)),
            (Column("status", kind: .number), .integer(answer.code)),
            (Column("answer"), .string(answer.text)),
          ]
        )
      case .temporary(let reason, _):
        throw DomainError(
          .unavailable,
          reason,
          hint: "check the mail options; jobs retry such mails for hours"
        )
      case .permanent(let reason, _, _):
        throw DomainError(.invalidInput, reason, hint: "check the addresses; jobs do not retry such mails")
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the members' addresses, with refusals and digests",
      scope: .company,
      discussion: """
        An address that a mail server refused permanently gets no more notices until
        its owner, or an operator with `fettle mail verify`, verifies it again.

        Example: fettle mail list --company acme
        """
    )
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await company.withActingContext { services, acting in
        let rows = try await NoticePreferences(services).mails(acting)
        try output.print(
          Table(
            columns: [
              Column("email"), Column("verified"), Column("refused"), Column("digest"), Column("language"),
            ],
            rows: rows.map { row in
              [
                .string(row.email), .bool(row.isVerified), .optional(row.refusal),
                .string(row.digest.rawValue),
                .string((row.language ?? row.companyLanguage).rawValue),
              ]
            }
          )
        )
      }
    }
  }

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Verify a person's address without a mail",
      scope: .installation,
      discussion: """
        For operators who know that the address is the person's. Clears a refusal.
        Audited in the system company.

        Example: fettle mail verify ana@acme.example
        """
    )
    @Argument(help: "E-mail address of the person") var email: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await connection.withServices { services in
        try await People(services).verify(email: email, by: .operator(Operator.name))
        try output.report("\(email) is verified", [(Column("email"), .string(email))])
      }
    }
  }
}
