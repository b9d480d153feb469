import FoundationEssentials
import Testing

@testable import Domain

@Suite struct RecordHookTests {
  @Test(arguments: [
    #"{ "on": "create", "job": "a.b" }"#, #"{ "on": "change", "of": ["name"], "fire": "go" }"#,
    #"{ "on": "delete", "when": "$.status == \"open\"", "job": "a.b" }"#,
  ])
  func `a hook survives a store`(_ json: String) throws {
    let hook = try Fixture.decode(RecordHook.self, json)
    let stored = String(decoding: try JSONEncoder().encode(hook), as: UTF8.self)
    #expect(try Fixture.decode(RecordHook.self, stored) == hook)
  }

  @Test(arguments: [
    (#"{ "on": "create", "of": ["name"], "job": "a.b" }"#, "of"),
    (#"{ "on": "delete", "of": ["name"], "job": "a.b" }"#, "of"),
    (#"{ "on": "create", "job": "a.b", "fire": "go" }"#, "fire"), (#"{ "on": "create" }"#, "fire"),
  ])
  func `a hook does one thing, and only a change names columns`(_ json: String, _ path: String) throws {
    let error = try #require(refusal { _ = try Fixture.decode(RecordHook.self, json) })
    #expect(error.details["path"]?.string == path, "\(error)")
  }

  @Test func `state mappings survive a store`() throws {
    let mappings = StateMappings(mappings: [
      StateMapping(from: "held", to: "waiting"), StateMapping(from: "lost", to: "open"),
    ])
    let stored = String(decoding: try JSONEncoder().encode(mappings), as: UTF8.self)
    #expect(try Fixture.decode(StateMappings.self, stored).mappings == mappings.mappings)
  }

  @Test func `the built-in notices are those that the engine sends`() {
    #expect(
      NoticeTemplate.builtIn.map(\.name) == [
        "comment", "mention", "transition", "webhook_failing", "webhook_undelivered", "webhook_gone",
        "address_refused",
      ]
    )
  }
}
