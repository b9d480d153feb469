import BrowserFixtures
import Foundation
import TestTools
import Testing
import Values

/// Meals and readings by a few keys, without a network.
@Suite(.timeLimit(.minutes(60))) struct FieldKeypadTests {
  @Test func `a meal is logged by keys and counts towards the rings at once`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let goal: JSONObject = ["protein_g": 150, "carbs_g": 200, "fat_g": 70, "effective_from": "2026-01-01"]
    // Another test may have made it for the same technician.
    _ = try await shop.post("/v1/macros/goal", goal, as: person)
    let before = try await shop.get("/v1/macros/entry", as: person)["items"]?.array?.count ?? 0
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await phone.signIn(person)
      proxy.mode = .closed
      try await phone.open("/app/macros")
      try await phone.press(at: "#log")
      try await browser.shows("Write an amount first.")
      for key in ["3", "0", "Decimal point", "5", "Next", "4", "0", "7", "Erase"] {
        try await phone.press(key)
      }
      try await phone.press(at: "#log")
      try await browser.shows("Saved on this phone: Protein 30.5, Carbs 40")
      try await browser.shows("of 150 g")
      try await phone.tab("Today")
      try await browser.shows("Log a meal")
      proxy.mode = .open
      try await phone.send()
    }
    let entries = try await shop.get("/v1/macros/entry?sort=-created_at", as: person)["items"]?.array ?? []
    #expect(entries.count == before + 1)
    #expect(entries.first?["protein_g"]?.number?.text == "30.5")
    #expect(entries.first?["carbs_g"]?.number?.text.hasPrefix("40") == true)
  }

  @Test func `a reading is entered by hand without a network, and the newest one is recorded with one`()
    async throws
  {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let name = "Roof \(UUID().uuidString.prefix(6))"
    #expect(try await shop.post("/v1/solar/site", ["name": .string(name)], as: shop.workshop.owner) == 201)
    let time = Date().ISO8601Format()
    _ = try await shop.fettle(
      "solar",
      "sample",
      "add",
      name,
      "--at",
      time,
      "--kw",
      "4.2",
      "--kwh",
      "1234",
      "--company",
      "workshop"
    )
    let sites = try await shop.get("/v1/solar/site", as: person)["items"]?.array ?? []
    let id = try #require(sites.first { $0["name"]?.string == name }?["id"]?.string)
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await phone.signIn(person)
      try await phone.open("/app/solar?site=\(id)")
      try await browser.shows("Fresh")
      try await phone.press("Record")
      try await browser.shows("Saved on this phone")
      try await phone.synchronised()
      proxy.mode = .closed
      try await phone.open("/app/solar?site=\(id)")
      for key in ["7", "Decimal point", "5"] { try await phone.press(key) }
      try await phone.press(at: "#hand")
      try await browser.shows("Saved on this phone")
      proxy.mode = .open
      try await phone.send()
    }
    let path = "/v1/solar/recording?site_id=\(id)"
    let recordings = try await shop.get(path, as: person)["items"]?.array ?? []
    let kinds = recordings.compactMap {
      "\($0["type"]?.string ?? "") \($0["value"]?.number?.text.prefix(3) ?? "")"
    }
    #expect(kinds.sorted() == ["auto 4.2", "manual 7.5"])
  }
}
