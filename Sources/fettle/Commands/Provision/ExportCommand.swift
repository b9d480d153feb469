internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal
internal import Webhooks

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export companies as a provisioning file",
    discussion: """
      Companies with their roles, members, invites (what they let in, never a code),
      webhooks (never a secret), machines and categories; records of other types that
      have a key are added by --records. Applied to an empty database, the file gives
      companies whose export is the same, byte for byte.

      Examples:
        fettle export --company acme
        fettle export -f companies.yaml
        fettle export --company acme --records maintenance.meter
      """
  )

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Only this company, by its short name", valueName: "slug"),
    completion: .custom { _, _, _ in await LiveCompletion.companies() }
  )
  var company: [String] = []

  @Option(
    name: [.customShort("f"), .customLong("file")],
    help: ArgumentHelp("The file to write (default: standard output)", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"])
  )
  var file: String?

  @Option(
    help: ArgumentHelp("Record type to add to the file; all for every one", valueName: "type")
  )
  var records: [String] = []

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    let text = try await connection.withServices { services in
      let provisioning = try await Provisioning.open(
        services,
        operatorName: Operator.name,
        webhookFault: Webhook.fault(in:)
      )
      let types = records == ["all"] ? provisioning.recordTypes : records
      let document = try await provisioning.export(company, records: types)
      return YAMLDocumentText.encode(Cell(.object(document)))
    }
    guard let file, file != "-" else {
      var out = BufferedOutput()
      try out.write(text)
      return try out.flush()
    }
    do {
      try Data(text.utf8).write(to: URL(filePath: file), options: .atomic)
    } catch {
      throw DomainError(.invalidInput, "\(Quoted(file)) cannot be written", hint: "is there such a folder?")
    }
    Message.tell("wrote \(file)")
  }
}
