internal import ArgumentParser
internal import CoreCommands
internal import Files
internal import Jobs
internal import Postgres
internal import Secrets
internal import Store
internal import Terminal

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Diagnose problems and suggest fixes",
    scope: .installation,
    discussion: """
      Exit code 1 if a check fails, 0 if there are only warnings. Accepts a
      superuser, which the other commands refuse, and reports it.

      Example: fettle doctor --output json
      """
  )

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var storage: BlobOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let findings = try await connection.open(as: .admin, accepting: .every).thenClose { database in
      try await Self.findings(database, try storage.store())
    }
    // Failures first: a person acts on them, and may not read on.
    let order: [HealthFinding.State] = [.failed, .warning, .ok]
    let sorted = order.flatMap { state in findings.filter { $0.state == state } }
    try output.print(
      findings: sorted.map { .init($0.check, $0.state.rawValue, $0.finding, remedy: $0.remedy) },
      of: "check"
    )
    if findings.contains(where: { $0.state == .failed }) { throw ArgumentParser.ExitCode(1) }
  }

  /// Returns the findings of all checks.
  static func findings(_ database: Database, _ blobs: any BlobStore) async throws -> [HealthFinding] {
    var findings = try await HealthCheck(database).run()
    let registered = try await KeyRegistry.read(database)
    findings.append(KeyHealth.finding(try KeyLocation.file(), registered: registered))
    // Without a usable folder, other checks fail.
    findings += try await BackupHealth(folder: try? BackupFolder.ofInstallation(), database: database).run()
    return findings + (await FileHealth.run(blobs))
  }
}
