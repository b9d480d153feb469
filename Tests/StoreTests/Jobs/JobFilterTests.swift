import Domain
import Testing

@testable import Store

@Suite struct JobFilterTests {
  @Test func `conditions add up, with commas or one by one`() throws {
    var filter = JobFilter()
    #expect(filter.isEmpty)
    try filter.add("state=dead,kind=solar.push")
    try filter.add(" queue = push ")
    #expect(filter == JobFilter(state: .dead, kind: "solar.push", queue: "push"))
  }

  @Test(arguments: [
    ("state=ded", "did you mean dead?"), ("kindd=a", "did you mean kind?"), ("dead", "write state=dead"),
    ("kind=", "write state=dead"), ("zebra=1", "use one of: state, kind, queue"),
  ])
  func `an invalid filter is refused with a suggestion`(text: String, hint: String) throws {
    var filter = JobFilter()
    let error = try #require(throws: DomainError.self) { try filter.add(text) }
    #expect(error.code == .invalidInput)
    #expect(error.hint.contains(hint), "\(error.hint)")
  }

  @Test func `a place in a list is read back as it was written`() throws {
    for text in [
      "~", "12.00000000-0000-7000-8000-000000000001.00000000-0000-7000-8000-000000000002~",
      "~-5.00000000-0000-7000-8000-000000000003",
      "12.00000000-0000-7000-8000-000000000001.00000000-0000-7000-8000-000000000002~7.00000000-0000-7000-8000-000000000003",
    ] {
      #expect(try JobPlace(parsing: text).text == text)
    }
    #expect(try JobPlace(parsing: "~") == JobPlace())
    for text in ["", "1", "1.2.3~", "x~y", "~1", "1~2~3"] {
      #expect(throws: DomainError.self) { try JobPlace(parsing: text) }
    }
  }
}
