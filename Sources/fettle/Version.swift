internal import ArgumentParser
internal import CoreCommands
internal import Terminal

/// The version of this program.
enum Version {
  static let number = "0.2.0"
  /// The release date, in the format of manual pages.
  static let date = "November 22, 2026"
  static let line = "fettle \(number)"
}

struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version",
    abstract: "Print the version of this program",
    scope: .computer,
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
