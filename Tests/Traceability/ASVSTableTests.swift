import Foundation
import Testing

/// Compares the table of ASVS requirements in the guide with the tests in the source.
@Suite struct ASVSTableTests {
  @Test func `every requirement has a level, a state, and a test or a reason`() throws {
    let guide = Folder.tests.deletingLastPathComponent().appending(path: "deploy/guide/asvs.md")
    let text = try String(contentsOf: guide, encoding: .utf8)
    let tests = try TestNames.read()
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("| v5.0.0-") }
    #expect(lines.count > 150)
    var ids: Set<Substring> = []
    for line in lines {
      let cells = line.dropFirst().dropLast().split(separator: "|").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard cells.count == 4, let id = line.firstMatch(of: /v5\.0\.0-\d+\.\d+\.\d+/)?.output else {
        Issue.record("not a row: \(line)")
        continue
      }
      #expect(ids.insert(id).inserted, "\(id) is listed twice")
      #expect(["1", "2"].contains(cells[1]) && ["yes", "part", "no"].contains(cells[2]), "\(id)")
      let proofs = cells[3].components(separatedBy: "<br>")
      let isReasoned = proofs.contains { $0.hasPrefix("reason: ") }
      // A requirement that holds in part, or not, says what is missing.
      #expect(cells[2] == "yes" || isReasoned, "\(id)")
      for proof in proofs where !proof.hasPrefix("reason: ") {
        #expect(tests.contains(proof), "\(id): no test is named \(proof)")
      }
    }
  }
}
