import API
import Domain
import Engine
import EngineFixtures
import Postgres
import Store
import TestDatabase
import Testing

/// What a form suggests for a column with many possible values.
@Suite struct FormOptionsTests {
  @Test func `a form with more machines than it lists suggests those that match what is written`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    let shop = console.shop
    for number in 1...60 {
      let code = "P-\(number + 100)"
      _ = try await shop.records.create(
        shop.acting("admin"),
        type: "maintenance.machine",
        fields: ["code": .string(code), "name": "Pump"]
      )
    }
    var browser = try await console.browser("admin")
    let form = try await browser.open(console.at("/maintenance/entry/new"))
    #expect(form.text.contains("data-options=\"\(console.at("/maintenance/entry/options"))\""))
    #expect(form.text.contains("data-column=\"machine_id\""))
    #expect(!form.text.contains("P-160"))

    func names(_ query: String) async throws -> [String] {
      let page = try await browser.open(
        console.at("/maintenance/entry/options?column=machine_id&search=\(query)")
      )
      #expect(page.status == 200)
      return page.text.matches(of: /P-\d+/).map { String($0.output) }
    }
    #expect(try await names("p-16") == ["P-160"])
    #expect(try await names("p-1").count == 50)
    // What has a meaning in patterns is text.
    #expect(try await names("%25").isEmpty)
    #expect(try await browser.open(console.at("/maintenance/entry/options?column=status")).status == 404)
    var other = try await ConsoleFixture.open().browser("admin")
    #expect(try await other.open(console.at("/maintenance/entry/options?column=machine_id")).status == 404)
  }
}
