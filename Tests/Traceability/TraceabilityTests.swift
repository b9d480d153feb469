import Foundation
import Testing

/// Compares the table of requirements and their proofs with the tests in the source. It detects a renamed or
/// removed test, and a missing requirement.
@Suite struct TraceabilityTests {
  @Test func `every requirement stands in the table once, and nothing else does`() throws {
    let table = try TraceabilityTable.read()
    let wanted = try RequirementList.read()
    #expect(wanted.count == 207)
    let listed = table.rows.map(\.id)
    #expect(Set(listed) == Set(wanted.map(\.id)))
    let twice = Dictionary(grouping: listed) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
    #expect(twice.isEmpty, "more than once: \(twice)")
    // In the order of the list, so that rows are easy to find.
    #expect(listed == wanted.map(\.id))
  }

  @Test func `every test that the table names stands in the source`() throws {
    let tests = try TestNames.read()
    #expect(tests.count > 500)
    for row in try TraceabilityTable.read().rows {
      for case .test(let name) in row.proofs where !tests.contains(name) {
        Issue.record("\(row.id) names a test that is not there: \(name)\(Self.hint(name, tests))")
      }
    }
  }

  @Test func `an unproved requirement names its capability, and only a client's own needs no proof`() throws {
    let kinds = Dictionary(uniqueKeysWithValues: try RequirementList.read().map { ($0.id, $0.kind) })
    for row in try TraceabilityTable.read().rows {
      #expect(!row.proofs.isEmpty, "\(row.id) names nothing")
      for proof in row.proofs {
        switch proof {
        case .test: break
        case .later(let capability, let what):
          #expect(TraceabilityTable.capabilities.contains(capability), "\(row.id): later \(capability)")
          #expect(!what.isEmpty, "\(row.id) does not say what comes later")
        case .clientOnly: #expect(kinds[row.id] == "U", "\(row.id) is not the client's alone")
        case .unreadable(let text): Issue.record("\(row.id): \(text) is no proof")
        }
      }
      #expect(kinds[row.id] != "U" || row.proofs == [.clientOnly], "\(row.id) is the client's alone")
    }
  }

  @Test func `only a requirement that is listed as open puts a part of it off`() throws {
    let open = Dictionary(uniqueKeysWithValues: try RequirementList.read().map { ($0.id, $0.open) })
    for row in try TraceabilityTable.read().rows {
      if let refusal = row.refusal(open: open[row.id] ?? []) { Issue.record("\(refusal)") }
    }
    let row = TraceabilityTable.Row(id: "S3-08", proofs: [.test("A/b"), .later("HTTP", "the endpoint")])
    #expect(row.refusal(open: []) == "S3-08 is not open in HTTP")
    #expect(row.refusal(open: ["HTTP"]) == nil)
    #expect(row.refusal(open: ["HTTP", "sync"]) == "S3-08 is open in sync and does not say so")
  }

  @Test func `the check finds a test that was renamed`() throws {
    let tests: Set<String> = ["KernelTests/a start sets who and when"]
    #expect(Self.hint("KernelTest/a start sets who and when", tests).contains("KernelTests"))
    #expect(TraceabilityTable.Proof("KernelTests/no such test") == .test("KernelTests/no such test"))
    #expect(TraceabilityTable.Proof("later: HTTP (sign-in)") == .later("HTTP", "sign-in"))
    #expect(TraceabilityTable.Proof("see above") == .unreadable("see above"))
  }

  /// Suggests the same sentence in another suite, or a sentence with the same beginning.
  private static func hint(_ name: String, _ tests: Set<String>) -> String {
    let sentence = name.split(separator: "/", maxSplits: 1).last.map(String.init) ?? name
    let near = tests.filter { $0.hasSuffix("/\(sentence)") || $0.contains("/\(sentence.prefix(20))") }
    return near.sorted().first.map { "; did you mean \($0)?" } ?? ""
  }
}
