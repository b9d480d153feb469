internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension AppCommand {
  struct Install: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Install or upgrade an app from a folder",
      scope: .installation,
      discussion: """
        Installs, checks and isolates the app in one transaction, or changes nothing.
        Installing the same version again has no effect. Companies can continue to work
        during the installation.

        Examples:
          fettle app install ./orchard --dry-run
          fettle app install ./orchard
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @Argument(help: "Folder, or name of a bundled app", completion: .directory)
    var app: String
    @Flag(help: "Run in a transaction that is rolled back") var dryRun = false

    func run() async throws {
      let package = try AppPackage.named(app)
      let outcome = try await AppInstallation(connection).install(package, dryRun: dryRun)
      try AppInstallation.report([outcome], isDryRun: dryRun, output)
    }
  }

  struct Upgrade: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Upgrade apps to the version of this program or a folder",
      scope: .installation,
      discussion: """
        Without an argument, upgrades every installed app to the version that this
        program bundles. Companies can continue to work during the upgrade.

        Examples:
          fettle app upgrade
          fettle app upgrade maintenance
          fettle app upgrade ./orchard --dry-run
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @Argument(help: "Folder, or name of a bundled app", completion: .directory)
    var app: String?
    @Flag(help: "Run in a transaction that is rolled back") var dryRun = false

    func run() async throws {
      let installed = try await connection.withServices { try await InstalledApps($0).list().map(\.name) }
      let packages = try app.map { [try AppPackage.named($0)] } ?? AppPackage.allEmbedded()
      var outcomes: [AppInstaller.Outcome] = []
      for package in packages {
        let name = package.manifest.app
        guard installed.contains(name) else {
          if app == nil { continue }
          throw DomainError(.notFound, "\(name) is not installed", hint: "run `fettle app install`")
        }
        outcomes.append(try await AppInstallation(connection).install(package, dryRun: dryRun))
      }
      try AppInstallation.report(outcomes, isDryRun: dryRun, output)
    }
  }
}

/// Installs apps as the operator. Job kinds of a manifest must be those that this program's workers handle.
struct AppInstallation {
  private let connection: ConnectionOptions

  init(_ connection: ConnectionOptions) {
    self.connection = connection
  }

  func install(_ package: AppPackage, dryRun: Bool) async throws -> AppInstaller.Outcome {
    try await connection.withServices(as: .migrator, accepting: .owner) { services in
      let jobs = try await AppCommand.handledJobs(services)
      let installer = AppInstaller(
        services.database,
        jobs: jobs,
        commands: AppRegistry.current.commandNames,
        actor: .operator(Operator.name)
      )
      return try await AppFindings.telling { try await installer.install(package, dryRun: dryRun) }
    }
  }

  /// Reports the change to each app.
  static func report(_ outcomes: [AppInstaller.Outcome], isDryRun: Bool, _ output: OutputOptions) throws {
    guard output.output == .table, output.columns == nil else {
      return try output.print(table(outcomes, isDryRun: isDryRun))
    }
    if outcomes.isEmpty { Message.tell("no installed app is bundled with this program") }
    for outcome in outcomes { try output.report(sentence(outcome, isDryRun: isDryRun), []) }
  }

  /// Returns the change to an app, in one line.
  static func sentence(_ outcome: AppInstaller.Outcome, isDryRun: Bool = false) -> String {
    guard outcome.changed else {
      return "\(outcome.app) \(outcome.version) is installed already: nothing to do"
    }
    var text = isDryRun ? "would install " : outcome.previous == nil ? "installed " : "upgraded "
    text +=
      outcome.previous.map { "\(outcome.app) from \($0) to \(outcome.version)" }
      ?? "\(outcome.app) \(outcome.version)"
    let count = outcome.schema.migrations.count
    let files = count == 1 ? "1 file" : "\(count) files"
    text +=
      ": \(files) of tables and changes, \(outcome.newPermissions.count) new permissions"
    return text
  }

  private static func table(_ outcomes: [AppInstaller.Outcome], isDryRun: Bool) -> Table {
    Table(
      columns: [
        Column("app"), Column("version", kind: .number), Column("previous", kind: .number), Column("changed"),
        Column("dry_run"), Column("migrations"), Column("new_permissions"), Column("old_permissions"),
      ],
      rows: outcomes.map { outcome in
        [
          .string(outcome.app), .integer(outcome.version), outcome.previous.map { .integer($0) } ?? .null,
          .bool(outcome.changed), .bool(isDryRun),
          .list(outcome.schema.migrations.map { .string($0.path) }),
          .list(outcome.newPermissions.map { .string($0) }),
          .list(outcome.oldPermissions.map { .string($0) }),
        ]
      }
    )
  }
}
