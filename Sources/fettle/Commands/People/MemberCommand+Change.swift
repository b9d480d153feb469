internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

/// The arguments of commands that change a member: the member and the company.
struct MemberArgument: ParsableArguments, MayBeDry {
  @OptionGroup var company: CompanyOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var key: AdministrationOptions

  @Argument(
    help: "Member: an e-mail address, or its part before the @",
    completion: .custom { words, _, _ in await LiveCompletion.members(words) }
  )
  var member: String

  var isDry: Bool { key.isDry }

  /// Runs a change in the acting context and reports the member's new state.
  func change(_ body: (Members, ActingContext) async throws -> MemberRow) async throws {
    try await key.change(company, output) { services, acting in
      let changed = try await body(Members(services), acting)
      let sentence =
        changed.status == .active
        ? "\(changed.email) is \(changed.role) in \(acting.company.slug) now"
        : "\(changed.email) is \(changed.status.rawValue) in \(acting.company.slug) now; their tokens are revoked"
      return ChangeReport(sentence, Array(zip(MemberCommand.columns, MemberCommand.row(changed))))
    }
  }
}

extension MemberCommand {
  struct SetRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "role",
      abstract: "Change the role of a member",
      scope: .company,
      discussion: """
        Members cannot change their own role, give a role that has permissions they
        lack, or change a member who has permissions they lack. A company always keeps
        an active owner.

        Example: fettle member role ana admin --company acme --as eva
        """
    )

    @OptionGroup var who: MemberArgument

    @Argument(
      help: "Name of the new role",
      completion: .custom { words, _, _ in await LiveCompletion.roles(words) }
    )
    var role: String

    func run() async throws {
      try await who.change { try await $0.setRole($1, member: who.member, role: role) }
    }
  }

  struct Suspend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Suspend a member; their sessions and tokens end",
      scope: .company,
      discussion: "Example: fettle member suspend ana --company acme"
    )
    @OptionGroup var who: MemberArgument

    func run() async throws {
      try await who.change { try await $0.setStatus($1, member: who.member, status: .suspended) }
    }
  }

  struct Reinstate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lift the suspension of a member",
      scope: .company,
      discussion: "Example: fettle member reinstate ana --company acme"
    )
    @OptionGroup var who: MemberArgument

    func run() async throws {
      try await who.change { try await $0.setStatus($1, member: who.member, status: .active) }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a member; history keeps their name",
      scope: .company,
      discussion: """
        Ends the member's sessions and tokens. Members can remove themselves. To make a
        removed person a member again, use `fettle member add` or a new invite code.

        Examples:
          fettle member remove ana --company acme
          fettle member remove ana --company acme --as ana
        """
    )
    @OptionGroup var who: MemberArgument

    func run() async throws {
      try await who.change { try await $0.setStatus($1, member: who.member, status: .removed) }
    }
  }
}
