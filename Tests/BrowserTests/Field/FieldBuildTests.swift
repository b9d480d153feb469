import BrowserFixtures
import Foundation
import TestTools
import Testing
import Values

/// A new build while the old one is in use.
@Suite(.timeLimit(.minutes(60))) struct FieldBuildTests {
  /// Asks for the new build until it waits. An update that the page asked for without a network fails, and the next one with
  /// it; on a machine that is busy with the whole suite, one took more than a minute.
  private static func waitForBuild(in browser: Browser) async throws {
    var steps = ""
    do {
      try await browser.wait(for: "the new build to wait", within: .seconds(240)) {
        steps =
          try await browser.executeWaiting(
            """
            const done = arguments[0]
            const steps = (globalThis.updates ??= [])
            const wait = (time) => new Promise(resolve => setTimeout(resolve, time))
            navigator.serviceWorker.getRegistration('/app/').then(async registration => {
              const begun = Math.round(performance.now())
              // One update at a time: each of many would begin the installation again.
              const update = registration.installing
                ? wait(500).then(() => 'installing')
                : registration.update().then(() => 'updated', error => wait(100).then(() => String(error)))
              const outcome = await Promise.race([update, wait(10_000).then(() => 'no answer')])
              steps.push(`${begun} ms: ${outcome}`)
              done(registration.waiting ? '' : steps.slice(-20).join('; '))
            })
            """
          ).string ?? "?"
        return steps.isEmpty
      }
    } catch {
      Issue.record("the updates: \(steps)")
      throw error
    }
  }

  @Test func `a new build waits for a form and takes queue and draft over, while an old tab goes on`()
    async throws
  {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let word = "Build\(UUID().uuidString.prefix(6))"
    let worker = try await Loopback.request("GET", "/app/worker.js", port: shop.port).text
    let build = String(try #require(worker.firstMatch(of: /const BUILD = "([0-9a-f]+)"/)).1)
    let next = String(build.reversed()) == build ? "0123456789ab" : String(build.reversed())
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await phone.signIn(person)
      let first = try await browser.openTab()
      try await browser.view(width: 360, height: 740, isPhone: true)
      try await phone.open()
      let old = try await browser.window
      try await browser.use(first)
      proxy.mode = .closed
      try await phone.report("\(word) queued")
      try await phone.tab("Report")
      try await browser.field("What is wrong?").type("\(word) draft")
      proxy.replace(build, by: next)
      proxy.mode = .open
      try await Self.waitForBuild(in: browser)
      // Never under a form.
      try await browser.shows("A new version is ready.")
      try await browser.shows("It starts when you have saved.")
      #expect(try await !browser.offers("Restart"))
      #expect(try await browser.source.contains("/app/b/\(build)/"))
      try await phone.tab("Today")
      try await phone.press("Restart")
      try await browser.wait(for: "the new build") { try await browser.source.contains("/app/b/\(next)/") }
      try await phone.press("Go on writing")
      #expect(try await browser.field("What is wrong?").value == "\(word) draft")
      // The tab of the old build works on.
      try await browser.use(old)
      #expect(try await browser.source.contains("/app/b/\(build)/"))
      try await phone.report("\(word) old tab")
      try await browser.use(first)
      try await phone.send()
      let names = try await browser.executeWaiting("caches.keys().then(names => arguments[0](names))")
      #expect(names.array == [.string("fettle \(next)")])
      // Without a network, the new build is whole.
      proxy.mode = .closed
      try await phone.open()
      try await browser.waitForHeading("Today")
    }
    #expect(try await shop.entries(word).count == 2)
  }
}
