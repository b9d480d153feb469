import BrowserFixtures
import Foundation
import TestTools
import Testing
import Values

/// What the server does not accept as it was sent: a person decides, and nothing is chosen for them.
@Suite(.timeLimit(.minutes(60))) struct FieldDecisionsTests {
  /// A work order of the person, and what another one made of it while the phone was offline.
  private struct Case {
    let shop: BrowserShop
    let person: BrowserShop.Person
    let proxy: TCPProxy
    let phone: FieldPhone
    let word: String

    init(_ browser: Browser, shop: BrowserShop, role: String, proxy: TCPProxy) async throws {
      self.shop = shop
      self.proxy = proxy
      person = role == "user" ? try await shop.fieldPerson() : try await shop.ownFieldPerson(role)
      word = "Split\(UUID().uuidString.prefix(6))"
      phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await phone.signIn(person)
      try await phone.report("\(word) as reported")
      try await phone.synchronised()
      proxy.mode = .closed
    }

    var entry: JSONValue { get async throws { try #require(try await shop.entries(word).first) } }

    /// Edits the work order on the phone.
    func edit(_ description: String, hours: String? = nil) async throws {
      try await phone.press("Change")
      try await phone.browser.field("Description").replace(with: "\(word) \(description)")
      if let hours { try await phone.browser.field("Estimated hours").replace(with: hours) }
      try await phone.submit()
      try await phone.browser.shows("Saved on this phone")
    }

    /// Changes the work order at the office.
    func office(_ arguments: String...) async throws {
      let number = try #require(try await entry["number"]?.string)
      let options = ["--company", "workshop", "--as", shop.workshop.dispatcher.email]
      let order =
        arguments[0] == "do" ? arguments + [number] : [arguments[0], number] + arguments.dropFirst()
      let before = try await entry["version"]
      _ = try await shop.fettle(["entry"] + order + options)
      #expect(try await shop.entries(word).first?["version"] != before)
    }

    /// Sends, and opens the decision that waits.
    func decide() async throws {
      proxy.mode = .open
      try await phone.tab("Outbox")
      try await phone.press(at: "#send:not([disabled])")
      try await phone.browser.shows("1 needs your decision")
      // The list is drawn again while changes are answered, and a press in between is lost.
      try await phone.browser.wait(for: "the decision") {
        if try await phone.browser.path.hasPrefix("/app/outbox/") { return true }
        try await phone.press(at: "#queue .pill.red")
        return try await phone.browser.path.hasPrefix("/app/outbox/")
      }
    }
  }

  @Test(arguments: [("Yours", "from the phone"), ("The office's", "from the office")])
  func `of two texts of one field, the one that the person chooses stays`(_ choice: String, _ result: String)
    async throws
  {
    let shop = try await BrowserShop.shared()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    try await Browser.open { browser in
      let work = try await Case(browser, shop: shop, role: "user", proxy: proxy)
      try await work.edit("from the phone")
      try await work.office("update", "--description", "\(work.word) from the office")
      try await work.decide()
      // Both texts, and the one that both began with; nothing is chosen.
      for text in ["from the phone", "from the office", "as reported"] { try await browser.shows(text) }
      #expect(try await browser.all("input:checked").isEmpty)
      try await work.phone.press("Keep these")
      try await browser.shows("Choose for every field first.")
      proxy.mode = .closed
      try await browser.field(choice).click()
      try await work.phone.press("Keep these")
      try await browser.shows("Decided. It is sent when there is coverage.")
      proxy.mode = .open
      try await work.phone.send()
      #expect(try await work.entry["description"]?.string == "\(work.word) \(result)")
    }
  }

  @Test(arguments: [BrowserEngine.chromium, .webkit])
  func `a choice for each field keeps one text of the phone and one of the office`(_ engine: BrowserEngine)
    async throws
  {
    let shop = try await BrowserShop.shared()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    try await Browser.open(Browser.Options(engine)) { browser in
      let work = try await Case(browser, shop: shop, role: "user", proxy: proxy)
      try await work.edit("from the phone", hours: "5.5")
      try await work.office(
        "update",
        "--description",
        "\(work.word) from the office",
        "--estimated-hours",
        "3"
      )
      try await work.decide()
      try await work.phone.press(at: "input[name=\"take-description\"][value=server]")
      try await work.phone.press(at: "input[name=\"take-estimated_hours\"][value=mine]")
      try await work.phone.press("Keep these")
      try await work.phone.send()
      #expect(try await work.entry["description"]?.string == "\(work.word) from the office")
      #expect(try await work.entry["estimated_hours"]?.number?.text.hasPrefix("5.5") == true)
    }
  }

  @Test func `a decision that is taken while the phone asks for what others decided stays`() async throws {
    let shop = try await BrowserShop.shared()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    try await Browser.open { browser in
      let work = try await Case(browser, shop: shop, role: "user", proxy: proxy)
      try await work.edit("from the phone")
      try await work.office("update", "--description", "\(work.word) from the office")
      // The answer about decisions is read, and used only once somebody has decided here.
      try await browser.execute(
        """
        const [real, decided] = [fetch, new Promise(resolve => { window.decided = resolve })]
        window.asked = 0
        window.fetch = async (...request) => {
          const answer = await real(...request)
          if (String(request[0].url ?? request[0]).includes('/v1/sync/status')) { window.asked += 1; await decided }
          return answer
        }
        """
      )
      try await work.decide()
      try await browser.wait(for: "the question") {
        try await browser.execute("return window.asked").integer == 1
      }
      try await browser.field("Yours").click()
      try await work.phone.press("Keep these")
      try await browser.shows("Decided. It is sent when there is coverage.")
      try await browser.execute("window.decided()")
      try await work.phone.send()
      #expect(try await work.entry["description"]?.string == "\(work.word) from the phone")
    }
  }

  @Test(arguments: [BrowserEngine.chromium, .webkit])
  func `a change of a record that was deleted meanwhile is shown, and can be given up`(
    _ engine: BrowserEngine
  ) async throws {
    let shop = try await BrowserShop.shared()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    try await Browser.open(Browser.Options(engine)) { browser in
      let work = try await Case(browser, shop: shop, role: "user", proxy: proxy)
      try await work.edit("from the phone")
      try await work.office("delete", "--comment", "Twice")
      try await work.decide()
      try await browser.shows("from the phone")
      try await work.phone.press("Discard my change")
      try await work.phone.send()
      #expect(try await shop.entries(work.word).isEmpty)
      #expect(try await work.phone.queue().last?["status"]?.string == "resolved")
    }
  }

  @Test func `hours on a deleted order say so, and are accepted once it is restored`() async throws {
    let shop = try await BrowserShop.shared()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    try await Browser.open { browser in
      let work = try await Case(browser, shop: shop, role: "admin", proxy: proxy)
      let id = try #require(try await work.entry["id"]?.string)
      try await work.phone.logHours("01:00", "01:30")
      try await work.office("delete", "--comment", "Twice")
      try await work.decide()
      try await browser.shows("What it belongs to was deleted")
      #expect(try await !browser.text.contains("The record was deleted"))
      let restored = try await shop.post(
        "/v1/maintenance/entry/\(id)/restore",
        [:],
        as: shop.workshop.dispatcher
      )
      #expect(restored == 200)
      try await work.phone.press("Try again")
      try await work.phone.send()
      #expect(try await work.entry["hours_logged"]?.number?.text.hasPrefix("0.5") == true)
    }
  }

  @Test func `work that the office completed meanwhile is a decision, and what came after it waits`()
    async throws
  {
    let shop = try await BrowserShop.shared()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    try await Browser.open { browser in
      let work = try await Case(browser, shop: shop, role: "user", proxy: proxy)
      try await work.phone.complete("Done in the field")
      try await work.office("do", "start")
      proxy.mode = .open
      try await work.phone.tab("Outbox")
      try await work.phone.press(at: "#send:not([disabled])")
      try await browser.shows("1 needs your decision")
      try await browser.shows("Waits for")
      try await work.phone.press(at: "#queue .pill.red")
      try await browser.shows("Waits for this decision")
      try await work.phone.press("Leave it as the office has it")
      try await work.phone.send()
      #expect(try await work.entry["status"]?.string == "completed")
      #expect(try await work.entry["completion_note"]?.string == "Done in the field")
    }
  }

  @Test(arguments: [BrowserEngine.chromium, .webkit])
  func `a change that a right forbids meanwhile is refused with its reason, and accepted once it is back`(
    _ engine: BrowserEngine
  ) async throws {
    let shop = try await BrowserShop.shared()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    try await Browser.open(Browser.Options(engine)) { browser in
      let work = try await Case(browser, shop: shop, role: "admin", proxy: proxy)
      try await work.edit("from the phone")
      try await work.office("do", "start")
      func role(_ name: String) async throws {
        _ = try await shop.fettle("member", "role", work.person.email, name, "--company", "workshop")
      }
      try await role("viewer")
      try await work.decide()
      try await browser.shows("Your role cannot do this")
      try await role("admin")
      try await work.phone.press("Try again")
      try await work.phone.send()
      #expect(try await work.entry["description"]?.string == "\(work.word) from the phone")
    }
  }
}
