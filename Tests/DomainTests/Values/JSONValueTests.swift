import FoundationEssentials
import TestTools
import Testing

@testable import Domain

@Suite struct JSONValueTests {
  @Test(arguments: [
    "null", "true", "-12.50", #""a\"b\\c\n""#, "[]", "{}", #"{"b":1,"a":[1,2,{"c":null}]}"#, #""😀é""#,
    "1234567890123456789012345678.05",
  ])
  func `text comes out as it went in`(text: String) throws {
    #expect(try JSONValue(parsing: text).text == text)
  }

  @Test(arguments: [
    "", "{", "[1,]", "{\"a\":1,}", "{a:1}", "'a'", "nul", "1 2", "[1", "\"a", "\"\\x\"", "\"\\u12\"",
    "\"a\nb\"",
    "{\"a\":1,\"a\":2}", "{\"a\":{\"b\":1,\"b\":1}}", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"",
    "\"\\u0000\"", String(repeating: "[", count: 70) + String(repeating: "]", count: 70), "NaN", "01",
  ])
  func `ambiguous JSON is refused`(text: String) {
    let code = refusal { _ = try JSONValue(parsing: text) }?.code
    #expect(code == .invalidJSON || code == .invalidNumber)
  }

  @Test func `a number out of range is refused`() {
    #expect(refusal { _ = try JSONValue(parsing: "[1e400]") }?.code == .invalidNumber)
  }

  @Test func `a surrogate pair is one character`() throws {
    #expect(try JSONValue(parsing: #""\ud83d\ude00""#).string == "😀")
  }

  @Test func `members keep their order and compare without it`() throws {
    let one = try JSONValue(parsing: #"{"b":1,"a":2}"#)
    let other = try JSONValue(parsing: #"{"a":2.0,"b":1}"#)
    #expect(one.object?.keys == ["b", "a"])
    #expect(one == other)
    #expect(one.text != other.text)
    #expect(one.canonicalText == other.canonicalText)
  }

  @Test func `a member set to nil is gone, a new one goes last`() {
    var object: JSONObject = ["a": 1, "b": 2]
    object["a"] = nil
    object["c"] = .null
    object["b"] = 3
    #expect(object.keys == ["b", "c"])
    #expect(object["c"] == .null)
    #expect(JSONValue.object(object).text == #"{"b":3,"c":null}"#)
  }

  @Test(arguments: Seed.several)
  func `any value survives its text and a coder`(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    let value = Self.random(using: &generator, depth: 4)
    #expect(try JSONValue(parsing: value.text) == value)
    #expect(try JSONValue(parsing: value.canonicalText) == value)
    #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
    #expect(try JSONValueDecoder.decode(JSONValue.self, from: value) == value)
  }

  @Test func `an error names the place in the document`() throws {
    struct Inner: Decodable { let number: Int }
    struct Outer: Decodable { let list: [Inner] }
    let json = #"{"list":[{"number":1},{"number":"x"}]}"#
    let error = #expect(throws: DecodingError.self) { _ = try Fixture.decode(Outer.self, json) }
    let read = DomainError.reading(try #require(error), in: "a.json")
    #expect(read.code == .invalidDocument)
    #expect(read.details["path"]?.string == "list[1].number")
    #expect(read.message.contains("a.json"))
  }

  private static func random(using generator: inout SeededRandom, depth: Int) -> JSONValue {
    switch Int.random(in: 0...(depth > 0 ? 6 : 4), using: &generator) {
    case 0: return .null
    case 1: return .bool(.random(using: &generator))
    case 2: return .integer(Int64.random(in: -1_000_000...1_000_000, using: &generator))
    case 3: return .string("text \"\\ \u{1F600} \(Int.random(in: 0...99, using: &generator))")
    case 4: return .string("")
    case 5:
      let count = Int.random(in: 0...3, using: &generator)
      return .array((0..<count).map { _ in random(using: &generator, depth: depth - 1) })
    default:
      let count = Int.random(in: 0...3, using: &generator)
      return .object(JSONObject((0..<count).map { ("k\($0)", random(using: &generator, depth: depth - 1)) }))
    }
  }
}
