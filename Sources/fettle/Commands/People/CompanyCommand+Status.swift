internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension CompanyCommand {
  struct Suspend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Suspend a company: make it read-only",
      scope: .namedCompany,
      discussion: """
        Members can sign in and read, but change nothing. Jobs and timers do not run.

        Example: fettle company suspend acme
        """
    )
    @OptionGroup var company: CompanyArgument
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: AdministrationOptions

    func run() async throws { try await CompanyCommand.move(company, to: .suspended, output, key) }
  }

  struct Archive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Archive a company",
      scope: .namedCompany,
      discussion: """
        Members have no access, and jobs and timers do not run. No data is lost: an
        operator can activate the company again. Owners and admins can archive their
        own company.

        Examples:
          fettle company archive acme
          fettle company archive acme --as eva
        """
    )
    @OptionGroup var company: CompanyArgument
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: AdministrationOptions

    func run() async throws { try await CompanyCommand.move(company, to: .archived, output, key) }
  }

  struct Activate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Activate a suspended or archived company",
      scope: .namedCompany,
      discussion: "Example: fettle company activate acme"
    )
    @OptionGroup var company: CompanyArgument
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: AdministrationOptions

    func run() async throws { try await CompanyCommand.move(company, to: .active, output, key) }
  }

  fileprivate static func move(
    _ company: CompanyArgument,
    to status: CompanyStatus,
    _ output: OutputOptions,
    _ key: AdministrationOptions
  ) async throws {
    try await key.change(company, output) { services, acting in
      try await Companies(services).setStatus(acting, to: status)
      return ChangeReport(
        "\(acting.company.slug) is \(status.rawValue) now",
        [
          (Column("slug"), .string(acting.company.slug)),
          (Column("before"), .string(acting.company.status.rawValue)),
          (Column("status"), .string(status.rawValue)),
        ]
      )
    }
  }
}
