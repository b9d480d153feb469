internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension MemberCommand {
  struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change the name or the e-mail address of a member",
      scope: .company,
      discussion: """
        Members can change themselves. Administrators can change members who belong to
        no other company; operators can change everybody. History and audit keep the
        earlier name.

        Examples:
          fettle member update ana --name "Ana Holm" --company acme
          fettle member update ana --email ana.holm@acme.example -c acme --as ana
        """
    )
    @OptionGroup var who: MemberArgument
    @Option(help: "New name") var name: String?
    @Option(help: "New e-mail address") var email: String?

    func validate() throws {
      if name == nil, email == nil { throw ValidationError("add --name or --email") }
    }

    func run() async throws {
      try await who.change { try await $0.update($1, member: who.member, name: name, email: email) }
    }
  }

  struct Search: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Find people in all companies",
      scope: .installation,
      discussion: """
        For operators. Prints one row per membership.

        Example: fettle member search berg
        """
    )
    @Argument(help: "Part of the name or of the address") var text: String
    @Option(help: "Maximum number of people") var limit = 100
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await connection.withServices { services in
        let rows = try await People(services).search(text, limit: limit)
        try output.print(
          Table(
            columns: [
              Column("email"), Column("name"), Column("company"), Column("role"), Column("status"),
              Column("disabled"), Column("id"),
            ],
            rows: rows.map { row in
              [
                .string(row.email), .string(row.name), .optional(row.company), .optional(row.role),
                .optional(row.status?.rawValue), .bool(row.isDisabled), Cell(row.userID),
              ]
            }
          ),
          forPeople: ["email", "name", "company", "role", "status", "disabled"]
        )
      }
    }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Disable a person everywhere; sessions and tokens end",
      scope: .installation,
      discussion: """
        For operators. Memberships and history stay. Refused if the person is the last
        active owner of a company.

        Example: fettle member disable ana@acme.example
        """
    )
    @OptionGroup var person: PersonArgument

    func run() async throws { try await person.setDisabled(true) }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Enable a disabled person again",
      scope: .installation,
      discussion: """
        For operators. Revoked tokens stay revoked.

        Example: fettle member enable ana@acme.example
        """
    )
    @OptionGroup var person: PersonArgument

    func run() async throws { try await person.setDisabled(false) }
  }

  struct RemoveSecondFactor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove-second-factor",
      abstract: "Remove a lost second factor; sessions end",
      scope: .installation,
      discussion: """
        For operators. Verify first who asks, because the password or the identity
        provider alone is enough to sign in afterwards. API tokens stay valid.

        Example: fettle member remove-second-factor ana@acme.example
        """
    )
    @OptionGroup var person: PersonArgument

    func run() async throws {
      try await person.connection.withServices { services in
        let ended = try await People(services)
          .removeSecondFactor(email: person.email, by: .operator(Operator.name))
        try person.output.report(
          "removed the second factor of \(person.email); \(ended) \(ended == 1 ? "session" : "sessions") ended",
          [(Column("email"), .string(person.email)), (Column("sessions_ended"), .integer(Int64(ended)))]
        )
      }
    }
  }
}

/// The arguments of commands that change a person across companies.
struct PersonArgument: ParsableArguments {
  @Argument(help: "E-mail address of the person") var email: String
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func setDisabled(_ isDisabled: Bool) async throws {
    try await connection.withServices { services in
      let companies = try await People(services)
        .setDisabled(isDisabled, email: email, by: .operator(Operator.name))
      let places = companies.isEmpty ? "" : " in \(companies.joined(separator: ", "))"
      try output.report(
        "\(email) is \(isDisabled ? "disabled" : "enabled") now\(places)",
        [
          (Column("email"), .string(email)), (Column("disabled"), .bool(isDisabled)),
          (Column("companies"), .list(companies.map { .string($0) })),
        ]
      )
    }
  }
}
