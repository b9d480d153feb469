import BrowserFixtures
import Foundation
import TestTools
import Testing
import Values

/// Hours on the phone are those of the server.
@Suite(.timeLimit(.minutes(60))) struct FieldHoursTests {
  @Test func `hours over a change of the clock are those that pass`() async throws {
    let shop = try await BrowserShop.shared()
    let wrong = try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: shop.base)
      try await phone.open()
      return try await phone.evaluate(
        "record.js",
        """
        const cases = [
          ['2026-10-25', '00:30', '04:30', 5], ['2026-03-29', '00:30', '04:30', 3], ['2026-10-24', '22:00', '06:00', 9],
          ['2026-06-01', '22:00', '06:00:00', 8], ['2026-10-25', '02:30', '03:30', 1], ['2026-10-25', '01:30', '02:30', 2],
        ]
        import(new URL('words.js', place)).then(words => {
          words.setZone('Europe/Stockholm')
          done(cases.filter(([day, start, end, hours]) =>
            app.hoursOf({ work_date: day, start_time: start, end_time: end }) !== hours).map(String))
        })
        """
      )
    }
    #expect(wrong.array == [])
  }

  @Test func `hours that the server refused are marked, and no part of the sum`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.ownFieldPerson()
    let word = "Sum\(UUID().uuidString.prefix(6))"
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: shop.base)
      try await phone.signIn(person)
      let path = try await phone.report(word)
      try await phone.logHours("01:00", "02:00")
      // An hour is worked once.
      try await phone.logHours("01:30", "02:30")
      try await phone.logHours("03:00", "03:30")
      try await phone.tab("Outbox")
      try await browser.wait(for: "the refusal") {
        let states = try await phone.queue().compactMap { $0["status"]?.string }
        return states.contains("failed") && !states.contains("pending") && !states.contains("uploading")
      }
      try await browser.open("\(shop.base)\(path)")
      try await browser.shows("Hours 1.5 h")
      #expect(try await browser.find("ul.rows .bad").text.contains("Not accepted"))
    }
    let logged = try await shop.entries(word).first?["hours_logged"]?.number?.text
    #expect(logged?.hasPrefix("1.5") == true)
  }
}
