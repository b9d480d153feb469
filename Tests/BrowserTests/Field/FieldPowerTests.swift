import BrowserFixtures
import EndToEndFixtures
import Foundation
import TestTools
import Testing
import Values

/// What is on the phone once it says so.
@Suite(.timeLimit(.minutes(60))) struct FieldPowerTests {
  @Test func `a report is there after a kill the moment the app says that it is saved`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let base = "http://127.0.0.1:\(proxy.port)"
    let word = "Kill\(UUID().uuidString.prefix(6))"
    var options = Browser.Options()
    options.profile = try Leftovers.folderUntilExit().appending(path: "profile")
    try await Browser.open(options) { browser in try await FieldPhone(browser, base: base).signIn(person) }
    proxy.mode = .closed
    try await Browser.openUntilPowerLoss(options) { browser in
      let phone = try await FieldPhone(browser, base: base)
      try await phone.open()
      try await phone.report("\(word) 1", photos: 1)
    }
    try await Browser.openUntilPowerLoss(options) { browser in
      let phone = try await FieldPhone(browser, base: base)
      try await phone.open()
      #expect(try await phone.queue().map { $0["op"]?.string } == ["create", "attach"])
      // What is written and not saved is a draft, and its photo with it.
      try await phone.tab("Report")
      try await browser.field("What is wrong?").type("\(word) 2")
      try await phone.photograph()
      try await phone.press(at: ".thumb img")
    }
    proxy.mode = .open
    try await Browser.openUntilPowerLoss(options) { browser in
      let phone = try await FieldPhone(browser, base: base)
      try await phone.open()
      try await phone.press("Go on writing")
      #expect(try await browser.field("What is wrong?").value == "\(word) 2")
      #expect(try await browser.all(".thumb img").count == 1)
      try await browser.field("Machine").select("RM-001 Road marker")
      try await browser.field("Category").select("Hydraulics")
      try await phone.press("Save the report")
      try await browser.shows("Saved on this phone")
      try await phone.send()
    }
    let entries = try await shop.entries(word)
    #expect(entries.count == 2)
    for entry in entries { #expect(try await shop.photos(of: entry).count == 1) }
  }

  @Test func `a phone without space refuses the photo, keeps the text, and says so`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let word = "Full\(UUID().uuidString.prefix(6))"
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let kept = try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await phone.signIn(person)
      proxy.mode = .closed
      try await phone.report("\(word) text")
      try await phone.photograph(width: 1_600, height: 1_200)
      try await browser.wait(for: "a photo") { try await browser.all("figure.photo").count == 1 }
      let used = try await browser.executeWaiting(
        "navigator.storage.estimate().then(all => arguments[0](all.usage))"
      )
      try await browser.chromium(
        "Storage.overrideQuotaForOrigin",
        ["origin": .string(phone.base), "quotaSize": .integer((used.integer ?? 0) + 20_000)]
      )
      // The browser notices by a transaction or two later.
      try await browser.wait(for: "a refused photo") {
        let before = try await phone.queue().count
        try await phone.photograph(width: 1_600, height: 1_200)
        try await browser.wait(for: "a photo or its refusal") {
          if try await browser.text.contains("The photo does not fit on the phone. Your text is saved.") {
            return true
          }
          return try await phone.queue().count > before
        }
        return try await browser.text.contains("The photo does not fit")
      }
      let kept = try await phone.queue().count { $0["op"]?.string == "attach" }
      try await browser.chromium("Storage.overrideQuotaForOrigin", ["origin": .string(phone.base)])
      proxy.mode = .open
      try await phone.send()
      return kept
    }
    let entry = try #require(try await shop.entries(word).first)
    #expect(try await shop.photos(of: entry).count == kept)
  }
}
