internal import ArgumentParser
internal import CoreCommands
internal import Engine
internal import Postgres
internal import Store
internal import Terminal

extension InviteCommand {
  struct Redeem: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Join a company by a code.",
      discussion: """
        The code is asked for at the terminal, or read from a file or standard
        input; never from the command line, which every process can see. It says
        itself which company it is for.

        Examples:
          fettle invite redeem --email ana@acme.example --name "Ana Berg"
          fettle invite redeem --email ana@acme.example --code-stdin < code.txt
        """
    )
    @Option(help: ArgumentHelp("The e-mail address of whoever joins.", valueName: "address")) var email:
      String
    @Option(help: "Their name; default: what stands before the @.") var name: String?
    @Flag(help: "Read the code from standard input.") var codeStdin = false
    @Option(help: ArgumentHelp("Read the code from a file.", valueName: "path"), completion: .file())
    var codeFile: String?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      if codeStdin, codeFile != nil {
        throw ValidationError("--code-stdin and --code-file exclude each other")
      }
    }

    func run() async throws {
      let code = try source.read()
      try await connection.withServices { services in
        let redeemed = try await Invites(services).redeem(
          code: code,
          email: email,
          name: name ?? PersonName.standing(in: email),
          source: "command of \(Operator.name)"
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

extension Timestamp {
  /// The moment to the minute, for a sentence: `2026-03-28 21:00 UTC`.
  var minute: String {
    let text = description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
  }
}
