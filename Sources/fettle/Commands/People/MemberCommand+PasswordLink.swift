internal import API
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Server
internal import Terminal

extension MemberCommand {
  struct PasswordLink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "password-link",
      abstract: "Make a link with which a person chooses a password",
      scope: .installation,
      discussion: """
        For operators, where no mails are sent: for people who were added at the command
        line, and for those who have forgotten their password. The link works once,
        within a day, and ends all sessions. Hand it to nobody else: whoever opens it
        signs in as this person.

        Examples:
          fettle member password-link ana@acme.example
          fettle member password-link ana@acme.example --url https://fettle.example
        """
    )
    @OptionGroup var person: PersonArgument
    @Option(
      help: ArgumentHelp("Address of the pages (default: that of the server started last)", valueName: "url")
    )
    var url: String?

    func validate() throws {
      guard url.map({ PublicOrigin($0) != nil }) ?? true else {
        throw ValidationError("--url takes a scheme and a host, such as https://fettle.example")
      }
    }

    func run() async throws {
      try await person.connection.withServices { services in
        let made = try await People(services).passwordCode(email: person.email, by: .operator(Operator.name))
        let base = url ?? ServerAddress.last(isEmbedded: person.connection.isEmbedded)
        let link = (base.hasSuffix("/") ? String(base.dropLast()) : base) + "/reset#" + made.code
        try person.output.reveal(
          link,
          as: "link",
          note: "for \(person.email), works once, until \(made.expiresAt.minute); shown this once:",
          [
            (Column("email"), .string(person.email)),
            (Column("expires_at", kind: .instant), Cell(made.expiresAt)),
          ]
        )
      }
    }
  }
}
