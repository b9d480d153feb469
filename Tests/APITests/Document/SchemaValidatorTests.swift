import API
import Domain
import Testing

/// The validator that the drift tests rely on: each rule has a value that breaks it.
@Suite struct SchemaValidatorTests {
  private static let root: JSONObject = [
    "components": ["schemas": ["name": ["type": "string", "maxLength": 3]]]
  ]

  private static func faults(_ value: String, _ schema: String) throws -> [String] {
    let schema = try #require(try JSONValue(parsing: schema).object)
    return SchemaValidator(root: root).faults(of: try JSONValue(parsing: value), by: schema)
  }

  @Test(arguments: [
    (#""abc""#, #"{"type":"string","maxLength":3}"#), ("null", #"{"type":["string","null"]}"#),
    ("3", #"{"type":"integer","minimum":3,"maximum":3}"#), ("3.0", #"{"type":"integer"}"#),
    ("2.5", #"{"type":"number","exclusiveMaximum":3}"#),
    ("[1,2]", #"{"type":"array","items":{"type":"integer"}}"#),
    (#"{"a":1}"#, #"{"type":"object","properties":{"a":{}},"required":["a"]}"#),
    (#"{"b":1}"#, #"{"type":"object","properties":{"a":{}},"additionalProperties":true}"#),
    (#"{"b":1}"#, #"{"type":"object"}"#), (#""abc""#, ##"{"$ref":"#/components/schemas/name"}"##),
    (#""2026-11-23T10:00:00Z""#, #"{"type":"string","format":"date-time"}"#),
    (#""08:00""#, #"{"type":"string","pattern":"^[0-2][0-9]:[0-5][0-9]$"}"#),
    ("null", #"{"anyOf":[{"type":"string"},{"type":"null"}]}"#),
  ])
  func `a value that fits has no faults`(value: String, schema: String) throws {
    #expect(try Self.faults(value, schema) == [])
  }

  @Test(arguments: [
    (#""abcd""#, #"{"type":"string","maxLength":3}"#), ("null", #"{"type":"string"}"#),
    ("2", #"{"minimum":3}"#), ("4", #"{"maximum":3}"#), ("2.5", #"{"type":"integer"}"#),
    ("3", #"{"exclusiveMaximum":3}"#), ("3", #"{"exclusiveMinimum":3}"#),
    (#"[1,"a"]"#, #"{"items":{"type":"integer"}}"#), ("[1,2]", #"{"maxItems":1}"#),
    (#"{"b":1}"#, #"{"properties":{"a":{}}}"#), (#"{"b":1}"#, #"{"additionalProperties":false}"#),
    ("{}", #"{"required":["a"]}"#), ("{}", #"{"minProperties":1}"#), (#""x""#, #"{"enum":["a","b"]}"#),
    (#""abcd""#, ##"{"$ref":"#/components/schemas/name"}"##),
    ("1", ##"{"$ref":"#/components/schemas/absent"}"##),
    (#""yesterday""#, #"{"format":"date-time"}"#), (#""2026-02-30""#, #"{"format":"date"}"#),
    (#""1""#, #"{"format":"uuid"}"#), (#""8""#, #"{"pattern":"^[0-9]{2}$"}"#),
    ("1", #"{"anyOf":[{"type":"null"}]}"#),
    ("1", #"{"unheardOf":true}"#), (#""a""#, #"{"format":"unheard-of"}"#),
  ])
  func `a value that does not fit has one fault`(value: String, schema: String) throws {
    #expect(try Self.faults(value, schema).count == 1)
  }

  @Test func `schemas of requests are closed and those of answers are open`() {
    let schema = Schema.object([
      .init("a", .nullable(.enumeration(["x"]))), .optional("b", .array(of: .uuid)),
    ])
    #expect(schema.json(for: .request)["additionalProperties"] == false)
    let answer = schema.json(for: .answer)
    #expect(answer["additionalProperties"] == nil)
    #expect(answer["required"] == ["a"])
    #expect(answer["properties"]?.object?["a"] == ["type": ["string", "null"], "enum": ["x", nil]])
  }
}
