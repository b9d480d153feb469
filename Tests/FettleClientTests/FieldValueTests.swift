import FettleClient
import Testing

@Suite struct FieldValueTests {
  @Test(arguments: [
    #"null"#, #"true"#, #"-0.10"#, #"1e300"#, #"123456789012345678901234567890.10"#, #""""#,
    #""é\u0001\"\\\n""#,
    #"[]"#, #"[1,[2,{"a":null}]]"#, #"{"a":1,"b":{"c":[true,false]}}"#,
  ])
  func `JSON is written as it was read`(text: String) throws {
    #expect(try FieldValue(parsing: text).description == text)
  }

  @Test(arguments: [
    "", "nul", "[1,]", "{\"a\"}", "1 2", "\"", "\"\\ud800\"", "+", "[", "01", "1.", "1e400",
    #""\u0000""#, #"{"a":1,"a":2}"#, String(repeating: "[", count: 99),
  ])
  func `other text is refused`(text: String) {
    #expect(throws: ClientError.self) { try FieldValue(parsing: text) }
  }
}
