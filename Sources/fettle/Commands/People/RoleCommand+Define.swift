internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension RoleCommand {
  struct Define: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a role, or change its permissions",
      scope: .company,
      discussion: """
        The new permissions replace the previous ones. Members cannot define a role
        that has permissions they lack.

        Examples:
          fettle role define foreman --from user --permission member.suspend -c acme
          fettle role define clerk --permission member.read,invite.read -c acme
        """
    )
    @Argument(help: "Name of the role: a lower-case word, such as foreman") var role: String
    @Option(help: "Label for people (default: the name)") var label: String?
    @Option(
      name: .customLong("permission"),
      help: ArgumentHelp("Permission, or several separated by commas; repeatable", valueName: "name"),
      completion: .custom { _, _, _ in await LiveCompletion.permissions() }
    )
    var permissions: [String] = []
    @Option(
      help: ArgumentHelp("Role to copy the grantable permissions from", valueName: "role"),
      completion: .custom { words, _, _ in await LiveCompletion.roles(words) }
    )
    var from: String?
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: AdministrationOptions

    /// The answer that a repetition gets.
    private struct Defined: Codable {
      let isNew: Bool
      let permissions: [String]
    }

    func validate() throws {
      if permissions.isEmpty, from == nil {
        throw ValidationError("add --permission or --from")
      }
    }

    func run() async throws {
      let names = permissions.flatMap { $0.split(separator: ",").map(String.init) }
      try await company.withActingContext { services, acting in
        let defined = try await key.once(services, acting, ["role", role, label, from] + names) {
          let (defined, isNew) = try await Roles(services).define(
            acting,
            name: role,
            label: label,
            from: from,
            permissions: names
          )
          return Defined(isNew: isNew, permissions: defined.permissions.granted.sorted().map(\.name))
        }
        let (isNew, granted) = (defined.isNew, defined.permissions.map { Cell.string($0) })
        try output.report(
          "\(isNew ? "created" : "changed") the role \(role), which has \(granted.count) permissions now",
          [
            (Column("role"), .string(role)), (Column("new"), .bool(isNew)),
            (Column("permissions"), .list(granted)),
          ]
        )
      }
    }
  }
}
