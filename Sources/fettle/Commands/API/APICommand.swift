internal import ArgumentParser
internal import CoreCommands

struct APICommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "api",
    abstract: "Describe the HTTP API, and check identity providers",
    discussion: """
      Examples:
        fettle api document > openapi.json
        fettle api check-provider staff --identity-providers providers.yaml
      """,
    subcommands: [Document.self, CheckProvider.self]
  )
}
