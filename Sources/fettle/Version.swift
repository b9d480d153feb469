internal import ArgumentParser
internal import CoreCommands
internal import Terminal

/// Which fettle this is.
enum Version {
  static let number = "0.1.0"
  static let line = "fettle \(number)"
}

struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version",
    abstract: "Print which fettle this is.",
    discussion: """
      Examples:
        fettle version
        fettle version --output json
      """
  )

  @OptionGroup var output: OutputOptions

  func run() throws {
    try output.report(
      Version.line,
      [(Column("name"), "fettle"), (Column("version"), .string(Version.number)), (Column("swift"), "6")]
    )
  }
}
