import Foundation
import Testing

/// Compares the table of stolen credentials in the guide with the roles and the tests.
@Suite struct RoleTableTests {
  @Test func `every database role states its worst and the tests that show it`() throws {
    let root = Folder.tests.deletingLastPathComponent()
    let guide = try String(contentsOf: root.appending(path: "deploy/guide/security.md"), encoding: .utf8)
    let roles = try String(contentsOf: root.appending(path: "sql/roles/roles.sql"), encoding: .utf8)
    let names = Set(roles.matches(of: /\('(fettle_\w+)', '/).map { String($0.output.1) })
    #expect(names.count > 7)
    let tests = try TestNames.read()
    let table = guide.components(separatedBy: "| role | at worst | tests |\n").dropFirst().first ?? ""
    let rows = table.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
      .prefix { $0.hasPrefix("|") }
    var described: Set<String> = []
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 3 else {
        Issue.record("not a row: \(row)")
        continue
      }
      described.insert(cells[0].trimmingCharacters(in: ["`"]))
      for test in cells[2].components(separatedBy: "<br>") {
        #expect(tests.contains(test), "\(cells[0]): no test is named \(test)")
      }
    }
    #expect(described == names)
  }
}
