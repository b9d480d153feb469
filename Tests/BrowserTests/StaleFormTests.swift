import BrowserFixtures
import EndToEndFixtures
import Foundation
import Testing

/// Two people change the same record, with scripts, without, and in the other engine.
@Suite(.timeLimit(.minutes(60))) struct StaleFormTests {
  enum Way: String, CaseIterable, Sendable { case chromium, withoutScripts, webkit }

  @Test(arguments: Way.allCases)
  func `of a record that changed meanwhile nothing is overwritten, and each field is chosen`(_ way: Way)
    async throws
  {
    let shop = try await BrowserShop.shared()
    let word = String(UUID().uuidString.prefix(8))
    let person = shop.workshop.dispatcher
    let company = ["--company", "workshop", "--as", shop.workshop.owner.email]
    let made = try await shop.shell.fettle(
      arguments: [
        "entry", "add", "First \(word)", "--machine", "RM-001", "--category", "Hydraulics", "-o", "json",
      ]
        + company
    )
    let number = try #require(made.output.firstMatch(of: /WO-[0-9]+/)).0
    try await Browser.open(Browser.Options(way == .webkit ? .webkit : .chromium)) { browser in
      try await browser.open("/c/workshop/maintenance/entry/\(number)", of: shop, as: person)
      if way == .withoutScripts { try await browser.allowScripts(false) }
      try await browser.open("\(shop.base)/c/workshop/maintenance/entry/\(number)/edit")
      try await browser.field("Description").set("Mine \(word)")
      try await browser.field("Estimated hours").set("5,5")
      // Somebody else is faster.
      let other = try await shop.shell.fettle(
        arguments: ["entry", "update", String(number), "--description", "Theirs \(word)"] + company
      )
      #expect(other.status == 0, "\(other.errors)")
      try await browser.click("Save")
      try await browser.waitForHeading("Changed meanwhile")
      let page = try await browser.text
      for text in ["Mine \(word)", "Theirs \(word)", "First \(word)", "5.5"] {
        #expect(page.contains(text), "\(text)")
      }
      // Where both changed something, the person chooses; the hours were theirs alone.
      try await browser.find("input[name='f.description'][value='Mine \(word)']").click()
      try await browser.click("Save")
      try await browser.shows("Mine \(word)")
      #expect(try await browser.text.contains("5.5"))
      let told = try await browser.text
      #expect(told.contains("Theirs \(word)"), "the story has both")
    }
  }
}
