import Domain
import EndToEndFixtures
import Foundation
import Testing

/// Documents that expand, nest or repeat without end, read by the built command with little memory.
@Suite(.timeLimit(.minutes(60))) struct DocumentBombTests {
  private func expectRefused(
    _ outcome: FettleProcess.Outcome,
    _ reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(outcome.status == 6, "\(outcome.errors.prefix(300))", sourceLocation: sourceLocation)
    #expect(
      outcome.errors.contains(reason),
      "\(outcome.errors.prefix(300))",
      sourceLocation: sourceLocation
    )
  }

  @Test(arguments: Bomb.allCases)
  func `a bomb in a workflow, an overlay or a manifest is refused before it is read`(bomb: Bomb) async throws
  {
    try await Shell.open { shell in
      let workflow = try shell.file("bomb.workflow.yaml", bomb.workflow)
      expectRefused(try await shell.confined("workflow lint \(workflow)"), bomb.reason)
      let overlay = try shell.file("bomb.overlay.yaml", bomb.overlay)
      expectRefused(try await shell.confined("workflow lint \(overlay)"), bomb.reason)
      expectRefused(try await shell.confined("workflow overlay set \(overlay) --company acme"), bomb.reason)
      let folder = shell.folder.appending(path: "demo")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      _ = try shell.file("demo/demo.app.yaml", bomb.manifest)
      let reason = bomb == .manyBytes ? "holds more than" : bomb.reason
      expectRefused(try await shell.confined("app lint \(folder.path)"), reason)
    }
  }

  @Test(arguments: Bomb.allCases)
  func `a bomb in a provisioning file is refused before it is read`(bomb: Bomb) async throws {
    try await Shell.open { shell in
      let file = try shell.file("bomb.yaml", bomb.provisioning)
      expectRefused(try await shell.confined("apply -f \(file)"), bomb.reason)
      expectRefused(try await shell.confined("diff -f \(file)"), bomb.reason)
      expectRefused(try await shell.confined("apply -f - < \(file)"), bomb.reason)
    }
  }

  @Test func `a document without an end is read to its limit only`() async throws {
    try await Shell.open { shell in
      for line in ["workflow lint /dev/zero", "apply -f /dev/zero", "apply -f - < /dev/zero"] {
        expectRefused(try await shell.confined(line), "larger than")
      }
    }
  }

  @Test func `a bomb in a line of an import file refuses the line only`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let command = "record import maintenance.machine"
      let good = #"{"code": "RM-1", "name": "Roller"}"#
      let deep = String(repeating: "[", count: 1_000_000)
      let zeros = String(repeating: "0,", count: 7_000_000)
      let wide = "{\(Bomb.keys(400_000, quote: "\"", separator: ":"))}"
      let lines = [good, deep, #"{"code": "RM-2", "name": [\#(zeros)0]}"#, wide]
      let json = try shell.file("bomb.jsonl", lines.joined(separator: "\n"))
      let refused = try await shell.confined("\(command) \(json)")
      #expect(refused.status == 6, "\(refused.errors.prefix(300))")
      for reason in ["nested too deeply", "more than 100000 values"] {
        #expect((refused.output + refused.errors).contains(reason))
      }
      let taken = try await shell.confined("\(command) \(json) --skip-bad bad.jsonl")
      #expect(taken.status == 0, "\(taken.errors.prefix(300))")

      let commas = String(repeating: ",", count: 15_000_000)
      let csv = try shell.file("bomb.csv", "code,name\nRM-3\(commas)\nRM-4,Roller\n")
      let cut = try await shell.confined("\(command) \(csv)")
      #expect(cut.status == 6, "\(cut.errors.prefix(300))")
      #expect((cut.output + cut.errors).contains("more than 100000 fields"))
      let text = String(repeating: "x", count: 40_000_000)
      let open = try shell.file("open.csv", "code,name\nRM-5,\"\(text)")
      expectRefused(try await shell.confined("\(command) \(open)"), "longer than 16 MB")
    }
  }

  @Test func `JSON text beyond its limits is refused`() throws {
    let deep = String(repeating: "[", count: 200_000)
    let long = "[\(String(repeating: "0,", count: 200_000))0]"
    let wide = "{\(Bomb.keys(100_000, quote: "\"", separator: ":"))}"
    let large = "\"\(String(repeating: "x", count: 17_000_000))\""
    for bomb in [deep, long, wide, large] {
      #expect(throws: DomainError.self, "\(bomb.prefix(20))") { try JSONValue(parsing: bomb) }
    }
    let largest = "[\(String(repeating: "0,", count: 99_998))0]"
    #expect(try JSONValue(parsing: largest).array?.count == 99_999)
  }
}
