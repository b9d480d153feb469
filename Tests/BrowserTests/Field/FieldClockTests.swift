import BrowserFixtures
import Foundation
import TestTools
import Testing
import Values

/// A phone whose clock is wrong.
@Suite(.timeLimit(.minutes(60))) struct FieldClockTests {
  @Test(arguments: [86_400, -86_400, 31_536_000])
  func `a clock that is wrong gives the right times and the right order`(_ seconds: Int) async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let word = "Clock\(UUID().uuidString.prefix(6))"
    try await Browser.open { browser in
      try await browser.chromium(
        "Page.addScriptToEvaluateOnNewDocument",
        [
          "source": .string(
            """
            { const Real = Date, wrong = \(seconds) * 1000
              globalThis.Date = class extends Real {
                constructor(...all) { if (all.length) super(...all); else super(Real.now() + wrong) }
                static now() { return Real.now() + wrong }
              } }
            """
          )
        ]
      )
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await phone.signIn(person)
      proxy.mode = .closed
      try await phone.report("\(word) offline")
      try await phone.complete("done")
      proxy.mode = .open
      try await phone.send()
    }
    let entry = try #require(try await shop.entries(word).first)
    let zone = try #require(TimeZone(identifier: "Europe/Stockholm"))
    let today = Date.ISO8601FormatStyle(timeZone: zone).year().month().day().format(Date())
    #expect(entry["reported_on"]?.string == today)
    for column in ["started_at", "completed_at"] {
      let time = try #require(entry[column]?.string.flatMap(Instant.init(rfc3339:)))
      #expect(abs(Double(time.microseconds) / 1_000_000 - Date().timeIntervalSince1970) < 600, "\(column)")
    }
    #expect(try await shop.story(of: entry) == ["create", "start", "edit", "complete"])
  }
}
