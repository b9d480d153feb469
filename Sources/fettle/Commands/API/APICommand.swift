internal import ArgumentParser
internal import CoreCommands

struct APICommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "api",
    abstract: "Describe the HTTP API",
    discussion: """
      Examples:
        fettle api document > openapi.json
      """,
    subcommands: [Document.self]
  )
}
