import BrowserFixtures
import Foundation
import TestTools
import Testing
import Values

/// What is written in a form: kept until it is saved, and no longer.
@Suite(.timeLimit(.minutes(60))) struct FieldFormTests {
  @Test func `a form that was saved by the keyboard leaves no draft to save it twice`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let word = "Form\(UUID().uuidString.prefix(6))"
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: shop.base)
      try await phone.signIn(person)
      try await phone.report(word)
      try await phone.press("Log hours")
      let day = Date(timeIntervalSinceNow: -172_800).ISO8601Format().prefix(10)
      try await browser.find("#f-work_date").set(String(day))
      try await browser.find("#f-start_time").set("01:00")
      try await browser.find("#f-end_time").set("01:30")
      // Enter follows the last letter before the form keeps what is written.
      try await browser.find("#f-user_name").type("\(word)\(Key.enter.rawValue)")
      try await browser.wait(for: "the form to be done") { try await browser.all("#f-work_date").isEmpty }
      try await phone.tab("Today")
      #expect(try await !browser.text.contains("You have something unfinished."))
      let hours = try await phone.queue().filter { $0["fields"]?["user_name"]?.string == word }
      #expect(hours.count == 1)
    }
  }

  @Test func `a draft that goes on has the category of its machine`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let name = "Hose\(UUID().uuidString.prefix(6))"
    let machines =
      try await shop.get("/v1/maintenance/machine", as: shop.workshop.owner)["items"]?.array ?? []
    let machine = try #require(machines.first { $0["code"]?.string == "RM-001" }?["id"]?.string)
    let body: JSONObject = ["machine_id": .string(machine), "name": .string(name)]
    #expect(try await shop.post("/v1/maintenance/category", body, as: shop.workshop.owner) == 201)
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: shop.base)
      try await phone.signIn(person)
      try await phone.tab("Report")
      try await browser.field("Machine").select("RM-001 Road marker")
      try await browser.field("Category").select(name)
      try await browser.field("What is wrong?").type(name)
      let chosen = try await browser.find("#f-category_id").value
      try await phone.tab("Today")
      try await phone.open()
      try await phone.press("Go on writing")
      try await browser.waitForHeading("Report a problem")
      #expect(!chosen.isEmpty)
      #expect(try await browser.find("#f-category_id").value == chosen)
      try await phone.submit()
      try await phone.send()
    }
    #expect(try await shop.entries(name).first?["category_name"]?.string == name)
  }

  @Test func `half a character in a report does not keep it from arriving`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let word = "Half\(UUID().uuidString.prefix(6))"
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: shop.base)
      try await phone.signIn(person)
      try await phone.tab("Report")
      try await browser.field("Machine").select("RM-001 Road marker")
      try await browser.field("Category").select("Hydraulics")
      try await browser.execute(
        """
        const field = document.getElementById('f-description')
        field.value = arguments[0] + ' \\u0000leaks\\ud83d'
        field.dispatchEvent(new Event('input', {bubbles: true}))
        """,
        .string(word)
      )
      try await phone.press("Save the report")
      try await phone.send()
    }
    #expect(try await shop.entries(word).first?["description"]?.string == "\(word) leaks\u{FFFD}")
  }

  @Test func `what Today leaves out is found where it says`() async throws {
    let shop = try await BrowserShop.shared()
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: shop.base)
      try await phone.open()
      let said = try await phone.evaluate(
        "today.js",
        """
        const rows = Array.from({ length: 25 }, (_, index) => ({ id: `${index}`, description: 'Leaks', status: 'open', version: 1 }))
        const store = {
          meta: { pulled_at: 1 }, types: new Map([['maintenance.entry', { columns: [] }]]), now: () => new Date(), row: () => undefined,
          drafts: async () => [], rows: type => type === 'maintenance.entry' ? rows : [],
        }
        app.todayScreen({ store, account: { user: '' } }).then(({ node }) => done([
          node.textContent.includes('5 more. Find them by their machine:'), node.querySelector('a[href="/app/machines"]')?.textContent ?? '',
        ]))
        """
      )
      #expect(said.array == [true, "Machines"])
    }
  }
}
