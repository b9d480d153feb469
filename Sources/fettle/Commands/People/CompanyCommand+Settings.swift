internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Terminal

extension CompanyCommand {
  struct Settings: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show or choose the settings of apps",
      scope: .namedCompany,
      discussion: """
        Examples:
          fettle company settings acme
          fettle company settings acme maintenance.overlapping_hours warn
        """
    )
    @OptionGroup var company: CompanyArgument
    @OptionGroup var output: OutputOptions
    @Argument(help: "Setting to show or change (default: all)") var setting: String?
    @Argument(help: "New value") var value: String?

    func run() async throws {
      try await company.withActingContext { services, acting in
        let companies = Companies(services)
        if let setting, let value { try await companies.choose(acting, setting, value) }
        let rows = try await companies.settings(acting).filter {
          setting == nil || $0.setting.name == setting
        }
        try output.print(
          Table(
            columns: [Column("setting"), Column("value"), Column("choices"), Column("about")],
            rows: rows.map {
              [
                .string($0.setting.name), .string($0.value), .list($0.setting.choices.map { .string($0) }),
                .string($0.setting.about),
              ]
            }
          )
        )
      }
    }
  }
}
