import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// The guide to writing an app, executed as printed.
@Suite(.serialized, .timeLimit(.minutes(60))) struct GuideTests {
  private static let examples = URL(filePath: ExampleApp.folder).deletingLastPathComponent()

  /// Returns the text between "```sh" and "```" in a page.
  private static func commands(of page: String) throws -> String {
    let text = try String(contentsOf: examples.appending(path: page), encoding: .utf8)
    let blocks = text.components(separatedBy: "```sh\n").dropFirst()
    return blocks.compactMap { $0.components(separatedBy: "\n```").first }.joined(separator: "\n")
  }

  @Test func `every command of the guide works`() async throws {
    let commands = try Self.commands(of: "README.md")
    #expect(commands.split(separator: "\n").filter { $0.hasPrefix("fettle ") }.count > 10)
    try await Shell.open { shell in
      try await shell.makeCompany()
      let sql = shell.folder.appending(path: "sql")
      try FileManager.default.createDirectory(at: sql, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        at: sql.appending(path: "examples"),
        withDestinationURL: Self.examples
      )
      let outcome = try await shell.bash("set -e -o pipefail\n\(commands)")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("installed orchard 1"))
      #expect(outcome.output.contains("upgraded orchard from 1 to 2"))
      #expect(outcome.output.contains("12.5"))
      #expect(outcome.output.hasSuffix("there are trees\n"))
    }
  }

  @Test func `the guide names every file of the example`() throws {
    let text = try String(contentsOf: Self.examples.appending(path: "README.md"), encoding: .utf8)
    for file in try ExampleApp.read().files.keys { #expect(text.contains("(orchard/\(file))"), "\(file)") }
  }
}
