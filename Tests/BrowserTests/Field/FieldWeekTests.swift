import BrowserFixtures
import EndToEndFixtures
import Foundation
import TestTools
import Testing
import Values

/// A week without a network.
@Suite(.timeLimit(.minutes(20))) struct FieldWeekTests {
  @Test func `a week offline, with the power lost each evening, arrives once and in order`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let base = "http://127.0.0.1:\(proxy.port)"
    let word = "Week\(UUID().uuidString.prefix(6))"
    var options = Browser.Options()
    options.profile = try Leftovers.folderUntilExit().appending(path: "profile")
    // Cookies reach the disk half a minute later, or when the browser is closed: a sign-in is worth that.
    try await Browser.open(options) { browser in try await FieldPhone(browser, base: base).signIn(person) }
    proxy.mode = .closed
    // Each day: a report with a photo, its work, a note, hours, and on five days a photo of the completed work.
    for day in 1...7 {
      try await Browser.openUntilPowerLoss(options) { browser in
        let phone = try await FieldPhone(browser, base: base)
        try await phone.open()
        #expect(try await phone.queue().count == Self.changes(until: day - 1))
        try await phone.report("\(word) day \(day)", photos: 1)
        if day > 2 { try await phone.addPhoto() }
        try await phone.complete("Done on day \(day)")
        try await phone.logHours("0\(day):00", "0\(day):30")
        #expect(try await browser.text.contains("No coverage"))
      }
    }
    #expect(Self.changes(until: 7) >= 40)
    proxy.mode = .open
    try await Browser.openUntilPowerLoss(options) { browser in
      let phone = try await FieldPhone(browser, base: base)
      try await phone.open()
      try await phone.send()
      let queue = try await phone.queue()
      #expect(queue.count == Self.changes(until: 7))
      #expect(queue.allSatisfy { $0["status"]?.string == "synced" })
    }
    let entries = try await shop.entries(word)
    #expect(entries.count == 7)
    var photos = 0
    for entry in entries {
      let day = try #require(entry["description"]?.string?.suffix(1)).description
      #expect(entry["status"]?.string == "completed")
      #expect(entry["completion_note"]?.string == "Done on day \(day)")
      #expect(entry["created_by_name"]?.string == person.name)
      #expect(entry["hours_logged"]?.number?.text.hasPrefix("0.5") == true)
      // A photo is an edit too, in its place: before the work was completed.
      let hasOne = day == "1" || day == "2"
      #expect(
        try await shop.story(of: entry) == ["create", "edit"] + (hasOne ? [] : ["edit"]) + [
          "start", "edit", "complete",
        ]
      )
      photos += try await shop.photos(of: entry).count
    }
    #expect(photos == 12)
  }

  /// The changes of the first days: report, photo, start, note, completion, hours; from the third day on another photo.
  private static func changes(until day: Int) -> Int { 6 * day + max(0, day - 2) }
}
