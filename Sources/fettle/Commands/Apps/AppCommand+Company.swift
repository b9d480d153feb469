internal import ArgumentParser
internal import CoreCommands
internal import Engine
internal import Store
internal import Terminal

/// The arguments of `app enable` and `app disable`: an app and a company.
struct CompanyAppArguments: ParsableArguments, MayBeDry {
  @Argument(help: "Name of the app", completion: .custom { _, _, _ in await LiveCompletion.apps() })
  var app: String

  @OptionGroup var company: CompanyOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var key: AdministrationOptions

  var isDry: Bool { key.isDry }

  func set(_ isEnabled: Bool) async throws {
    try await key.change(company, output) { services, acting in
      try await CompanyApps(services).setEnabled(isEnabled, app: app, acting)
      if isEnabled, !key.dryRun {
        try await services.rules.createStartingRecords(in: acting, services, try await Records.open(services))
      }
      return ChangeReport(
        "\(acting.company.slug) \(isEnabled ? "uses" : "does not use") \(app) now",
        [
          (Column("company"), .string(acting.company.slug)), (Column("app"), .string(app)),
          (Column("enabled"), .bool(isEnabled)),
        ]
      )
    }
  }
}

extension AppCommand {
  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Enable an app for a company",
      scope: .company,
      discussion: """
        The company's roles get the app's permissions.

        Example: fettle app enable solar --company acme
        """
    )
    @OptionGroup var arguments: CompanyAppArguments

    func run() async throws { try await arguments.set(true) }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Disable an app for a company",
      scope: .company,
      discussion: """
        The company's roles lose the app's permissions; the app's timers and schedules
        are paused. Its records are kept and available again when the app is enabled.

        Example: fettle app disable solar --company acme
        """
    )
    @OptionGroup var arguments: CompanyAppArguments

    func run() async throws { try await arguments.set(false) }
  }

  struct Used: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "used",
      abstract: "List installed apps and their use by a company",
      scope: .company,
      discussion: "Example: fettle app used --company acme"
    )
    @OptionGroup var company: CompanyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await company.withActingContext { services, acting in
        let apps = try await CompanyApps(services).list(acting)
        try output.print(
          Table(
            columns: [Column("app"), Column("enabled")],
            rows: apps.map { [.string($0.app), .bool($0.isEnabled)] }
          )
        )
      }
    }
  }
}
