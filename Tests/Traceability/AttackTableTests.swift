import Foundation
import Testing

/// Compares the table of attacks in the guide with the tests in the source.
@Suite struct AttackTableTests {
  private struct Row {
    let attack: String
    let answer: String
    /// Each as `Suite/sentence`.
    let tests: [String]
  }

  private static func rows() throws -> [Row] {
    let guide = Folder.tests.deletingLastPathComponent().appending(path: "deploy/guide/security.md")
    let text = try String(contentsOf: guide, encoding: .utf8)
    let table = text.components(separatedBy: "| attack | answer | tests |\n").dropFirst()
      .flatMap {
        $0.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().prefix { $0.hasPrefix("|") }
      }
    return table.map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let tests = cells.dropFirst(2).joined(separator: "|").components(separatedBy: "<br>")
      return Row(
        attack: cells.first ?? "",
        answer: cells.dropFirst().first ?? "",
        tests: tests.map { $0.trimmingCharacters(in: .whitespaces) }
      )
    }
  }

  @Test func `every attack in the guide names its answer and its tests`() throws {
    let tests = try TestNames.read()
    let rows = try Self.rows()
    #expect(!rows.isEmpty)
    for row in rows {
      #expect(!row.attack.isEmpty && !row.answer.isEmpty && !row.tests.isEmpty, "\(row)")
      for test in row.tests where !tests.contains(test) {
        Issue.record("\(row.attack): no test is named \(test)")
      }
    }
  }

  @Test func `every attack test is in the table of the guide`() throws {
    let listed = Set(try Self.rows().flatMap(\.tests))
    let own = try TestNames.read(below: Folder.tests.appending(path: "AttackTests"))
    let missing = own.subtracting(listed).sorted()
    #expect(missing.isEmpty, "not in deploy/guide/security.md: \(missing)")
  }
}
