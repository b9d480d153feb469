package import ArgumentParser
package import Engine
internal import Store

/// The company that a command is about, as an argument, and the member to act as.
package struct CompanyArgument: ParsableArguments {
  @OptionGroup package var connection: ConnectionOptions

  @Argument(
    help: "Short name of the company",
    completion: .custom { _, _, _ in await LiveCompletion.companies() }
  )
  package var company: String

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "Member to act as: an e-mail address, or the part before its @; audited",
      valueName: "member"
    ),
    completion: .custom { words, _, _ in await LiveCompletion.members(words) }
  )
  package var member: String?

  package init() {}

  /// Runs a command's body with the services and an acting context in the company.
  ///
  /// - Throws: `invalid_input` for the engine's own company; as ``withAnyContext(_:)``.
  package func withActingContext<Value>(_ body: (Services, ActingContext) async throws -> Value) async throws
    -> Value
  {
    try await withAnyContext { services, acting in
      try acting.company.requireOrdinary()
      return try await body(services, acting)
    }
  }

  /// Runs a body that only reads, in any company.
  package func withAnyContext<Value>(_ body: (Services, ActingContext) async throws -> Value) async throws
    -> Value
  {
    try await connection.withServices { services in
      let acting = try await ActingContexts(services).take(
        company: company,
        operatorName: Operator.name,
        as: member
      )
      CompanyClock.use(acting.company.timeZone)
      return try await body(services, acting)
    }
  }
}
