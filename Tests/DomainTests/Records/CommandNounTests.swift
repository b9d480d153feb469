import FoundationEssentials
import Testing

@testable import Domain

@Suite struct CommandNounTests {
  private func noun(_ json: String) throws -> CommandNoun { try Fixture.decode(CommandNoun.self, json) }

  @Test func `a word alone is a noun`() throws {
    let noun = try noun(#""tree""#)
    #expect(noun.name == "tree" && noun.columns.isEmpty && noun.limit == CommandNoun.usualLimit)
  }

  @Test func `a noun survives the database`() throws {
    let noun = try noun(
      #"{ "name": "plan", "about": "Plans", "columns": ["title"], "sort": "-due_on", "limit": 9, "arguments": ["title"], "flags": { "estimate": "estimated_hours" }, "filters": { "due": "is_due" }, "examples": { "show": "Oil" } }"#
    )
    #expect(noun.flags == [CommandNoun.Flag(name: "estimate", column: "estimated_hours")])
    let stored = String(decoding: try JSONEncoder().encode(noun), as: UTF8.self)
    #expect(try self.noun(stored) == noun)
  }

  @Test func `flags are columns in kebab case, references without their id`() throws {
    let noun = try noun(#"{ "name": "plan", "flags": { "estimate": "estimated_hours" } }"#)
    #expect(noun.flag(of: "estimated_hours", isReference: false) == "estimate")
    #expect(noun.flag(of: "planted_on", isReference: false) == "planted-on")
    #expect(noun.flag(of: "machine_id", isReference: true) == "machine")
    #expect(noun.flag(of: "machine_id", isReference: false) == "machine-id")
  }

  @Test(arguments: [#"{ "name": "x", "limit": 0 }"#, #"{ "nam": "x" }"#, #"{ "about": "Trees" }"#, "7"])
  func `a noun that cannot be read is refused`(json: String) {
    #expect(throws: (any Error).self) { try noun(json) }
  }

  @Test(arguments: ["Tree", "a b", "-x", "", "2x", "tree_top", String(repeating: "x", count: 41)])
  func `a word with other characters than a noun's is none`(text: String) {
    #expect(!CommandNoun.isWord(text))
    #expect(CommandNoun.isWord("tree-top2"))
  }
}
