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
      discussion: """
        Members change themselves, administrators those who belong to no other company.
        History and audit keep the name of their time.

        Examples:
          fettle member update ana --name "Ana Holm" --company acme
          fettle member update ana --email ana.holm@acme.example -c acme --as ana
        """
    )
    @OptionGroup var who: MemberArgument
    @Option(help: "The new name") var name: String?
    @Option(help: "The new e-mail address") var email: String?

    func validate() throws {
      if name == nil, email == nil { throw ValidationError("give --name or --email") }
    }

    func run() async throws {
      try await who.change { try await $0.update($1, member: who.member, name: name, email: email) }
    }
  }

  struct Search: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Find people in all companies",
      discussion: """
        One row per membership; for operators.

        Example: fettle member search berg
        """
    )
    @Argument(help: "A part of the name or the address") var text: String
    @Option(help: "Maximum number of people (default 100)") var limit = 100
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
      abstract: "Disable a person everywhere and revoke their tokens",
      discussion: """
        Memberships and history stay. Refused while the person is the last active owner
        of a company. For operators.

        Example: fettle member disable ana@acme.example
        """
    )
    @OptionGroup var person: PersonArgument

    func run() async throws { try await person.setDisabled(true) }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Enable a disabled person again",
      discussion: "Example: fettle member enable ana@acme.example"
    )
    @OptionGroup var person: PersonArgument

    func run() async throws { try await person.setDisabled(false) }
  }
}

/// A person, across companies.
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
