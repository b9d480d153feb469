internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Glibc
internal import Store
internal import Terminal
internal import Webhooks

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export companies to a file for apply",
    scope: .namedCompanies,
    discussion: """
      The file contains roles, members, invites (without codes), webhooks (without
      secrets), quotas, limits, workflow versions, settings, schedules, overlays, and
      the records of every type whose records have a name, such as machines,
      categories, meters and plans; --records adds other types. What the file does not
      contain is named with its number. Applying the file to the same database changes
      nothing. Applying it to an empty database creates companies with what it contains.

      Examples:
        fettle export --company acme
        fettle export --all -f companies.yaml
        fettle export --company acme --records maintenance.entry
      """
  )

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "Company to export, repeatable (default: FETTLE_COMPANY, or all companies)",
      valueName: "slug"
    ),
    completion: .custom { _, _, _ in await LiveCompletion.companies() }
  )
  var company: [String] = []

  @Flag(help: "Export all companies and ignore FETTLE_COMPANY") var all = false

  @Option(
    name: [.customShort("f"), .customLong("file")],
    help: ArgumentHelp("File to write (default: standard output)", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"])
  )
  var file: String?

  @Option(
    help: ArgumentHelp(
      "Additional record type to export, repeatable; all: every type with a key; none: no records",
      valueName: "type"
    )
  )
  var records: [String] = []

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp("Member to act as; requires company.export", valueName: "member")
  )
  var member: String?

  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard !all || company.isEmpty else { throw ValidationError("--all and --company cannot be combined") }
    guard records == ["none"] || !records.contains("none") else {
      throw ValidationError("--records none cannot be combined with other types")
    }
  }

  /// Returns the companies to export; empty for all.
  private var slugs: [String] {
    guard company.isEmpty, !all else { return company }
    let named = ProcessInfo.processInfo.environment["FETTLE_COMPANY"] ?? ""
    return named.isEmpty ? [] : [named]
  }

  func run() async throws {
    let (text, leftOut) = try await connection.withServices { services in
      try await requireMember(services)
      let provisioning = try await Provisioning.open(
        services,
        operatorName: Operator.name,
        webhookFault: Webhook.fault(in:)
      )
      let isBare = records == ["none"]
      let types = records.contains("all") ? provisioning.recordTypes : isBare ? [] : records
      let (document, leftOut) = try await provisioning.exportNaming(slugs, named: !isBare, records: types)
      return (YAMLDocumentText.encode(Cell(.object(document))), leftOut)
    }
    if let file, file != "-" {
      do {
        try Self.write(text, to: file)
      } catch {
        throw FileFault(error, path: file)
      }
      Message.tell("wrote \(file)")
    } else {
      var out = BufferedOutput()
      try out.write(text)
      try out.flush()
    }
    for left in leftOut { Message.tell("left out of \(left.company): \(left.count) \(left.what)") }
  }

  /// Replaces a file and keeps its mode. Others cannot read a new file: it has addresses of members.
  private static func write(_ text: String, to file: String) throws {
    var status = stat()
    let mode = stat(file, &status) == 0 ? status.st_mode & 0o777 : 0o600
    umask(0o077)
    try Data(text.utf8).write(to: URL(filePath: file), options: .atomic)
    chmod(file, mode)
  }

  /// Requires that the member of `--as` holds `company.export` in each named company.
  ///
  /// - Throws: `invalid_input` without `--company`, `forbidden` without the permission.
  private func requireMember(_ services: Services) async throws {
    guard let member else { return }
    guard !company.isEmpty else {
      throw DomainError(.invalidInput, "--as requires --company", hint: "name the company to export")
    }
    for slug in company {
      let acting = try await ActingContexts(services)
        .take(company: slug, operatorName: Operator.name, as: member)
      try await CompanyAdministration(services).read(acting, permission: "company.export") { _, _ in }
    }
  }
}
