import Testing

@testable import Engine

@Suite struct ShiftCheckTests {
  private static func uses(_ counts: KeyValuePairs<String, Int>) -> [String: NameUse] {
    Dictionary(counts.map { ($0, NameUse(line: 2, count: $1, isReadable: true)) }) { first, _ in first }
  }

  @Test(arguments: [
    ("2004-07-01", "it is a date"), ("2004-07-01T08:00:00Z", "it is a date"), ("183.05", "it is a number"),
    ("PM01", "it is a value of category_id"), ("t swing", "it is unlike the other names"), ("RM-009", nil),
  ])
  func `a name of another column is out of place among the machines`(name: String, reason: String?) {
    let names = Self.uses(["RM-001": 500, "RM-002": 7]).merging(Self.uses([name: 1])) { first, _ in first }
    let check = ShiftCheck(names, others: [(column: "category_id", names: Self.uses(["PM01": 400]))])
    #expect(check.reason(against: name) == reason)
  }

  @Test func `numbers are in place where most names are numbers`() {
    #expect(
      ShiftCheck(Self.uses(["1001": 5, "1002": 4, "Crane": 1]), others: []).reason(against: "1002") == nil
    )
  }

  @Test func `a name that only lines with an unreadable value have is out of place`() {
    var names = Self.uses(["A": 5])
    names["B"] = NameUse(line: 9, count: 1, isReadable: false)
    let check = ShiftCheck(names, others: [])
    #expect(check.reason(against: "B") == "another value of its line cannot be read")
    #expect(check.reason(against: "A") == nil)
  }
}
