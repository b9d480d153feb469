internal import ArgumentParser
internal import CoreCommands
internal import Engine
internal import Postgres
internal import Store
internal import Terminal

extension InviteCommand {
  struct Redeem: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Join a company with an invite code",
      scope: .inviteCode,
      discussion: """
        The code is read from the terminal, a file or standard input, because every
        process on the machine can see the command line. The code determines the
        company.

        Examples:
          fettle invite redeem --email ana@acme.example --name "Ana Berg"
          fettle invite redeem --email ana@acme.example --code-stdin < code.txt
        """
    )
    @Option(help: ArgumentHelp("E-mail address of the new member", valueName: "address")) var email: String
    @Option(help: "Name of the new member (default: the part before the @)") var name: String?
    @Flag(help: "Read the code from standard input") var codeStdin = false
    @Option(help: ArgumentHelp("File with the code", valueName: "path"), completion: .file())
    var codeFile: String?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      if codeStdin, codeFile != nil {
        throw ValidationError("--code-stdin and --code-file cannot be combined")
      }
    }

    func run() async throws {
      let code = try source.read()
      try await connection.withServices { services in
        let redeemed = try await Invites(services).redeem(
          code: code,
          email: email,
          name: name ?? PersonName.standing(in: email),
          source: "command of \(Operator.name)",
          proof: .operator
        )
        try output.report(
          "\(redeemed.email) is \(redeemed.role) in \(redeemed.company) now",
          [
            (Column("company"), .string(redeemed.company)), (Column("email"), .string(redeemed.email)),
            (Column("role"), .string(redeemed.role)), (Column("id"), Cell(redeemed.user)),
          ]
        )
      }
    }

    private var source: SecretSource {
      if let codeFile { return .file(codeFile) }
      return codeStdin ? .standardInput : .prompt("Invite code")
    }
  }
}

extension Instant {
  /// Formats a time to the minute by the company's clock, for a sentence: `2026-03-28 22:00+01`.
  var minute: String {
    let text = MomentText.text(rfc3339, by: CompanyClock.current)
    return "\(text.prefix(16))\(text.dropFirst(19))"
  }
}
