import FoundationEssentials
import Testing

@testable import Domain

@Suite struct WorkflowDecodingTests {
  @Test func `the flagship's workflow reads with its order, words and values`() throws {
    let definition = try Fixture.entryWorkflow()
    #expect(definition.name == "maintenance.entry")
    #expect(definition.states.map(\.name) == ["pending", "in_progress", "completed"])
    #expect(definition.states.map(\.isFinal) == [false, false, false])
    #expect(definition.states.map(\.isEnd) == [false, false, true])
    #expect(
      definition.transitions.map(\.name) == ["start", "pause", "complete", "reopen", "remind", "escalate"]
    )
    let start = try #require(definition.transition("start"))
    #expect(start.set == [SetClause("started_at", .now), SetClause("started_by", .actor)])
    #expect(start.effects == [.notify(to: .creator, template: "entry_started")])
    #expect(definition.transition("pause")?.set.map(\.value) == [.literal(.null), .literal(.null)])
    #expect(definition.transition("reopen")?.require.commentMinimum == 3)
    #expect(definition.transition("remind")?.by == .system)
    #expect(definition.state("pending")?.timers.first?.limit == 4)
    #expect(definition.columnsSet == ["started_at", "started_by", "completed_at", "completed_by"])
  }

  @Test func `a definition survives a store that forgets the order of members`() throws {
    let definition = try Fixture.entryWorkflow()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let json = String(decoding: try encoder.encode(definition), as: UTF8.self)
    #expect(try Fixture.decode(WorkflowDefinition.self, json) == definition)
  }

  @Test(arguments: [
    (#""category": "open""#, #""categry": "open""#, "states.pending.categry", "did you mean category?"),
    (#""fire": "remind""#, #""fires": "remind""#, "states.pending.after[0].fires", "did you mean fire?"),
    (
      #""to": "in_progress", "perm"#, #""too": "in_progress", "perm"#, "transitions.start.too",
      "did you mean to?"
    ),
    (
      #""comment": { "min": 3 }"#, #""comment": { "mim": 3 }"#, "transitions.reopen.require.comment.mim",
      "min"
    ),
    (#"{ "event": "#, #"{ "evnt": "#, "transitions.complete.effects[1].webhook.evnt", "did you mean event?"),
    (
      #""as": "user", "do": "start""#, #""as": "user", "du": "start""#, "tests[0].steps[0].du",
      "did you mean do?"
    ),
    (#""initial""#, #""initail""#, "initail", "did you mean initial?"),
  ])
  func `a misspelt key is an error that names its place`(
    original: String,
    misspelt: String,
    path: String,
    hint: String
  ) throws {
    let json = Fixture.entryJSON.replacing(original, with: misspelt, maxReplacements: 1)
    let error = try #require(refusal { _ = try Fixture.decode(WorkflowDefinition.self, json) })
    #expect(error.code == .unknownKey)
    #expect(error.details["path"]?.string == path)
    #expect(error.hint.contains(hint))
  }

  @Test(arguments: [
    (#""delay": "P7D""#, #""delay": "7D""#, ErrorCode.invalidDuration, "states.pending.after[0].delay"),
    (#""$now""#, #""$nowe""#, .invalidDocument, "transitions.start.set.started_at"),
    (#""started_at": null"#, #""started_at": [1]"#, .invalidDocument, "transitions.pause.set.started_at"),
    (#""min": 3"#, #""min": 0"#, .invalidDocument, "transitions.reopen.require.comment.min"),
    (#""max": 4"#, #""max": 0"#, .invalidDocument, "states.pending.after[0].max"),
    (#""repeat": "P7D", "#, "", .invalidDocument, "states.pending.after[0].max"),
    (#""role:admin""#, #""admin""#, .invalidDocument, "transitions.remind.effects[0].notify.to"),
    (#""maintenance.entry.start""#, #""start""#, .invalidPermission, "transitions.start.permission"),
    (#""refuse": "forbidden""#, #""refuse": "forbiden""#, .invalidDocument, "tests[0].steps[2].refuse"),
    (#""workflow": "maintenance.entry""#, #""workflow": "entry""#, .invalidDocument, "workflow"),
    (#""version": 1"#, #""version": 0"#, .invalidDocument, "version"),
  ])
  func `a wrong value is an error that names its place`(
    original: String,
    wrong: String,
    code: ErrorCode,
    path: String
  ) throws {
    let json = Fixture.entryJSON.replacing(original, with: wrong, maxReplacements: 1)
    #expect(json != Fixture.entryJSON)
    let error = try #require(refusal { _ = try Fixture.decode(WorkflowDefinition.self, json) })
    #expect(error.code == code)
    #expect(error.details["path"]?.string == path)
  }

  @Test func `a value outside its vocabulary is an error that names its place`() throws {
    let json = Fixture.entryJSON.replacing(#""category": "open""#, with: #""category": "opne""#)
    let thrown = #expect(throws: (any Error).self) { _ = try Fixture.decode(WorkflowDefinition.self, json) }
    let error = DomainError.reading(try #require(thrown), in: "entry.workflow.yaml")
    #expect(error.details["path"]?.string == "states.pending.category")
    #expect(error.message.contains("opne"))
  }

  @Test func `a refusal inside another decoder's error comes out as it was`() {
    let inner = DomainError(.unknownKey, "a.b: unknown key")
    let wrapped = DecodingError.dataCorrupted(
      .init(codingPath: [], debugDescription: "The given data was not valid YAML.", underlyingError: inner)
    )
    let error = DomainError.reading(wrapped, in: "x.yaml")
    #expect(error.code == .unknownKey)
    #expect(error.message == "x.yaml: a.b: unknown key")
  }

  @Test func `two effects in one, or none, are refused`() {
    for json in [#"{"job":{"kind":"a"},"webhook":{"event":"b"}}"#, "{}"] {
      #expect(refusal { _ = try Fixture.decode(Effect.self, json) }?.code == .invalidDocument)
    }
  }

  @Test func `edit rules name a permission or whose records they open`() throws {
    let own = try Fixture.decode(EditRule.self, #"{"who":"own","when":"$.a == 1"}"#)
    #expect(own.permission(on: "a.b").name == "a.b.update.own")
    #expect(refusal { _ = try Fixture.decode(EditRule.self, #"{"who":"own","permission":"a.b.c"}"#) } != nil)
    #expect(refusal { _ = try Fixture.decode(EditRule.self, #"{"when":"true"}"#) } != nil)
  }
}
