import BrowserFixtures
import Foundation
import TestTools
import Testing
import Values

/// The app on a phone's home screen: the offer to put it there, and what it does while it is closed.
@Suite(.timeLimit(.minutes(60))) struct FieldBackgroundTests {
  @Test func `what waits is sent when a network is back, with the app closed`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let word = "Closed\(UUID().uuidString.prefix(6))"
    var options = Browser.Options()
    options.isWhole = true
    try await Browser.open(options) { browser in
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await phone.signIn(person)
      proxy.mode = .closed
      try await phone.report(word, photos: 1)
      try await browser.wait(for: "the wish to be woken") {
        try await browser.executeWaiting(
          """
          navigator.serviceWorker.ready.then(ready => ready.sync.getTags()).then(arguments[0])
          """
        ).array == ["send"]
      }
      try await browser.open("about:blank")
      proxy.mode = .open
      #expect(try await shop.entries(word).isEmpty)
      // The browser wakes the worker when the network is back, which nothing here can simulate.
      try await browser.chromium("ServiceWorker.enable")
      try await browser.chromium(
        "ServiceWorker.dispatchSyncEvent",
        ["origin": .string(phone.base), "registrationId": "0", "tag": "send", "lastChance": false]
      )
      try await browser.wait(for: "the report and its photo") {
        guard let entry = try await shop.entries(word).first else { return false }
        return try await shop.photos(of: entry).count == 1
      }
      try await phone.open()
      try await phone.synchronised()
      #expect(try await phone.queue().allSatisfy { $0["status"]?.string == "synced" })
    }
    #expect(try await shop.entries(word).count == 1)
  }

  @Test func `after the first save, Today offers to install the app until the person declines`() async throws
  {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: shop.base)
      try await phone.signIn(person)
      #expect(try await !browser.text.contains("Put it on the home screen"))
      try await phone.report("Install\(UUID().uuidString.prefix(6))")
      try await phone.tab("Today")
      try await browser.shows("Put it on the home screen")
      try await phone.press("Not now")
      try await browser.wait(for: "no offer") {
        try await !browser.text.contains("Put it on the home screen")
      }
      try await phone.open()
      #expect(try await !browser.text.contains("Put it on the home screen"))
      try await phone.tab("More")
      try await browser.shows("Put it on the home screen")
    }
  }
}
