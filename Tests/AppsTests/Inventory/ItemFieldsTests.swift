import EngineFixtures
import Testing

@testable import Apps
@testable import Domain

@Suite struct ItemFieldsTests {
  @Test func `tags are trimmed, each once whatever the case, in their order`() throws {
    #expect(try TagList([" Garage ", "tool", "garage", "Tool", "old"]).tags == ["Garage", "tool", "old"])
    #expect(try TagList(JSONValue.string("garage, tool,,old ")).tags == ["garage", "tool", "old"])
    #expect(try TagList(JSONValue.null).tags == [])
    #expect(try TagList(["a", "b", "c"]).replacing(["B", "c"], with: "x").tags == ["a", "x"])
  }

  @Test(arguments: ["", "  ", "a,b", "a\nb", String(repeating: "x", count: 61)])
  func `an invalid tag is refused`(_ tag: String) {
    #expect(throws: DomainError.self) { try TagList([tag]) }
  }

  @Test func `fields are as they are stored`() throws {
    let normal = try ItemFields.normalised([
      "name": " Drill ", "currency": "eur", "purchase_price": "12.5", "tags": ["a", "A"],
    ])
    #expect(
      normal == [
        "name": "Drill", "currency": "EUR", "purchase_price": .number(try ExactDecimal(parsing: "12.50")),
        "tags": ["a"],
      ]
    )
  }

  @Test(
    arguments: [
      ["purchase_price": "12.345"], ["purchase_price": "-1"], ["purchase_price": "abc"], ["currency": "EURO"],
      ["tags": [1]],
    ] as [JSONObject]
  )
  func `invalid fields of an item are refused`(_ fields: JSONObject) {
    #expect(throws: DomainError.self) { try ItemFields.normalised(fields) }
  }

  @Test func `an item without months has no warranty, and months are whole`() throws {
    #expect(try ItemFields.warranty(["purchase_date": "2024-01-31"])?.expires == nil)
    #expect(
      try ItemFields.warranty(["purchase_date": "2024-01-31", "warranty_months": "1"])?.expires?.description
        == "2024-02-29"
    )
    for months in ["1.5", .number(try ExactDecimal(parsing: "1.5"))] as [JSONValue] {
      #expect(throws: DomainError.self, "\(months)") {
        try ItemFields.warranty(["purchase_date": "2024-01-31", "warranty_months": months])
      }
    }
  }
}
