internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify records, history, feed, jobs and isolation",
    scope: .companiesRead,
    discussion: """
      Recomputes every history hash and compares the status, version and deletion of
      each record with its history; then checks feed, timers, jobs, references and
      row-level security. Runs the rules of every type over its records, and names those
      that would be refused today. Changes nothing. --quick checks only the last entry of
      each history, and runs no rules.

      Prints a list of findings. Exit code 8 with findings, 0 without.

      Examples:
        fettle verify
        fettle verify --company acme --quick
        fettle verify --output json
      """
  )

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Short name of the company (default: all)", valueName: "slug"),
    completion: .custom { _, _, _ in await LiveCompletion.companies() }
  )
  var company: String?

  @Flag(help: "Check only the last entry of each history") var quick = false
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var scope = Verification.Scope()
    scope.isQuick = quick
    try await VerifyRun(connection: connection, output: output).run(company: company, scope: scope)
  }
}

/// Runs a verification with a progress bar, prints the findings and sets the exit code.
struct VerifyRun {
  let connection: ConnectionOptions
  let output: OutputOptions

  /// Verifies one company, or all companies if the slug is nil.
  ///
  /// - Throws: exit code 8 if a check fails, `not_found` for an unknown company.
  func run(company slug: String?, scope: Verification.Scope) async throws {
    try await connection.withServices { services in
      let companies: [CompanyRow]
      if let slug {
        companies = [try await ActingContexts(services).company(slug)]
      } else {
        companies = try await Companies(services).list()
      }
      try await run(companies, scope: scope, services, try await Records.open(services).catalogue)
    }
  }

  /// Verifies the given companies.
  ///
  /// - Throws: exit code 8 if a check fails.
  func run(
    _ companies: [CompanyRow],
    scope: Verification.Scope,
    _ services: Services,
    _ catalogue: TypeCatalogue
  ) async throws {
    let verification = Verification(services, catalogue: catalogue)
    let total = scope.isQuick ? nil : try await verification.entries(of: companies, scope: scope)
    let bar = ProgressBar("verifying", unit: "entries", total: total, on: .errors)
    let report: VerifyReport
    do {
      report = try await verification.run(companies, scope: scope) { bar.advance(to: $0) }
      bar.finish()
    } catch {
      bar.finish()
      throw error
    }
    try print(report, scope)
    if !report.findings.isEmpty { throw ArgumentParser.ExitCode(Terminal.ExitCode.differences.rawValue) }
  }

  private func print(_ report: VerifyReport, _ scope: Verification.Scope) throws {
    let isForPeople = output.output == .table && output.isPlain
    if !report.findings.isEmpty || !isForPeople {
      try output.print(
        Table(
          columns: [
            Column("code"), Column("company"), Column("type"), Column("record"),
            Column("what", kind: .advice),
          ],
          rows: report.findings.map { finding in
            [
              .string(finding.code.rawValue), .optional(finding.company), .optional(finding.type),
              finding.record.map { Cell($0) } ?? .null, .string(finding.what),
            ]
          }
        )
      )
    }
    let history =
      scope.isQuick
      ? "the newest entry of history of each" : "\(Figures.grouped(report.entries)) entries of history"
    let looked =
      "\(report.companies) \(report.companies == 1 ? "company" : "companies"), "
      + "\(Figures.grouped(report.records)) \(report.records == 1 ? "record" : "records"), \(history)"
    let verdict: String
    switch report.findings.count + report.omitted {
    case 0: verdict = "verified"
    case 1: verdict = "1 check failed"
    case let count: verdict = "\(Figures.grouped(count)) checks failed"
    }
    Message.tell("\(verdict): \(looked)")
  }
}
