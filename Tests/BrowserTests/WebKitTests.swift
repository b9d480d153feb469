import BrowserFixtures
import TestTools
import Testing
import Values

/// The second engine, on the same small site.
@Suite(.timeLimit(.minutes(60))) struct WebKitTests {
  @Test func `WebKit finds, fills in, tabs, sends and is judged by axe as Chromium is`() async throws {
    let site = try SamplePage.serve()
    defer { site.stop() }
    try await Browser.open(Browser.Options(.webkit)) { browser in
      try await browser.open(site.base)
      #expect(try await browser.axe(expecting: "Machines") == [])
      #expect(try await browser.find("#said").text == "With scripts")
      try await browser.click("Later")
      try await browser.shows("Arrived")
      try await browser.tab(to: "Title")
      try await browser.press("Hose leaks")
      #expect(try await browser.field("Title").value == "Hose leaks")
      try await browser.field("State").select("Done")
      #expect(try #require(try await browser.picture().size).width == 1_280)
      try await browser.set(Cookie("taste", "sweet", isHTTPOnly: true))
      #expect(try await browser.cookies == [Cookie("taste", "sweet", isHTTPOnly: true)])
      try await browser.openTab()
      try await browser.open("\(site.base)/faulty")
      #expect(try await browser.axe(expecting: "Faulty").count == 2)
      try await browser.closeTab()
      try await browser.click("Save")
      try await browser.waitForHeading("Sent")
    }
    let sent = String(decoding: try #require(site.requests.last).body, as: UTF8.self)
    for value in ["Hose leaks", "Done"] { #expect(sent.contains(value)) }
  }
}
