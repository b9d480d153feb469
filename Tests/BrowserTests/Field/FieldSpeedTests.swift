import BrowserFixtures
import EndToEndFixtures
import Foundation
import TestDatabase
import TestTools
import Testing
import Values

/// The command `deploy/bench field`: how long a person waits for the field app, with a processor slowed to a quarter.
@Suite(.timeLimit(.minutes(60))) struct FieldSpeedTests {
  private static let isAsked = ProcessInfo.processInfo.environment["FETTLE_FIELD_SPEED"] != nil
  private static let (machines, entries, rounds) = (500, 5_000, 7)

  @Test(.enabled(if: isAsked, "runs with FETTLE_FIELD_SPEED"))
  func `figures of the field app with 5,000 records`() async throws {
    let shop = try await BrowserShop.shared()
    try await fill(shop)
    let person = try await shop.ownFieldPerson("admin")
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: shop.base)
      let first = ContinuousClock.now
      try await phone.signIn(person)
      Self.print(
        "sign-in and first pull, no throttle",
        [(ContinuousClock.now - first) / .milliseconds(1)],
        "ms"
      )
      try await measure(browser, phone)
    }
  }

  private func measure(_ browser: Browser, _ phone: FieldPhone) async throws {
    // Notes the moment at which the screen has its heading and its content.
    try await browser.chromium(
      "Page.addScriptToEvaluateOnNewDocument",
      [
        "source": """
        new MutationObserver((all, observer) => {
          if (!document.querySelector('h1') || !document.querySelector('main .card')) return
          requestAnimationFrame(() => { globalThis.drawn ??= performance.now() })
          observer.disconnect()
        }).observe(document, {childList: true, subtree: true})
        """
      ]
    )
    try await browser.chromium("Emulation.setCPUThrottlingRate", ["rate": 4])
    var cold: [Double] = []
    for _ in 0..<Self.rounds {
      try await browser.open("about:blank")
      try await browser.open("\(phone.base)/app/")
      try await browser.wait(for: "the screen") {
        try await browser.execute("return !!globalThis.drawn").bool == true
      }
      cold.append(try await Self.number(browser, "return drawn"))
    }
    Self.print("cold start", cold, "ms, aim 1200")

    try await phone.tab("Machines")
    try await browser.wait(for: "machines") { try await browser.all("main li").count > 10 }
    var keys: [Double] = []
    for letter in "P-4123".map(String.init) + [""] {
      let script = """
        const [letter, done] = arguments, field = document.getElementById('find'), start = performance.now()
        field.value = letter ? field.value + letter : ''
        field.dispatchEvent(new Event('input', {bubbles: true}))
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)))
        """
      keys.append(Double(try await browser.executeWaiting(script, .string(letter)).text) ?? 0)
    }
    Self.print("keystroke in search of \(Self.machines) machines", keys, "ms, aim 50")

    var photos: [Double] = []
    for number in 1...3 {
      try await phone.tab("Report")
      let script = """
        const done = arguments[0], canvas = document.createElement('canvas')
        Object.assign(canvas, {width: 4000, height: 3000})
        const context = canvas.getContext('2d')
        for (let i = 0; i < 400; i++) {
          context.fillStyle = `hsl(${Math.random() * 360} 60% 50%)`
          context.fillRect(Math.random() * 4000, Math.random() * 3000, 500, 400)
        }
        canvas.toBlob(blob => {
          const files = new DataTransfer(), before = document.querySelectorAll('.thumb img').length
          files.items.add(new File([blob], 'photo.jpg', {type: 'image/jpeg'}))
          const input = document.getElementById('photo')
          input.files = files.files
          const start = performance.now()
          new MutationObserver((all, observer) => {
            if (document.querySelectorAll('.thumb img').length <= before) return
            observer.disconnect()
            done(performance.now() - start)
          }).observe(document.body, {childList: true, subtree: true})
          input.dispatchEvent(new Event('change', {bubbles: true}))
        }, 'image/jpeg', 0.9)
        """
      photos.append(Double(try await browser.executeWaiting(script).text) ?? 0)
      #expect(try await browser.all(".thumb img").count >= number)
    }
    Self.print("photo of 12 megapixels made small and kept in the draft", photos, "ms")

    let build =
      try await browser.execute(
        "return performance.getEntriesByType('resource').map(one => one.name).find(name => name.includes('/b/')).split('/b/')[1].split('/')[0]"
      ).string ?? ""
    let whole = try await Loopback.request(
      "GET",
      "/app/b/\(build)/all.json",
      port: try #require(URL(string: phone.base)?.port),
      fields: ["Accept-Encoding": "gzip"]
    )
    Self.print("precache, gzipped", [Double(whole.body.count) / 1_000], "kB, aim 70")
  }

  private static func number(_ browser: Browser, _ script: String) async throws -> Double {
    Double(try await browser.execute(script).text) ?? 0
  }

  /// Imports machines, and entries about them.
  private func fill(_ shop: BrowserShop) async throws {
    let folder = try Leftovers.folderUntilExit()
    let lines = (0..<Self.machines).map { "P-\(4_000 + $0),Pump \($0)" }
    let work = (0..<Self.entries).map {
      "P-\(4_000 + $0 % Self.machines),Hydraulics,Seal \($0) leaks,2026-01-10"
    }
    for (type, head, rows) in [
      ("maintenance.machine", "code,name", lines),
      ("maintenance.entry", "machine_id,category_id,description,reported_on", work),
    ] {
      let file = folder.appending(path: "\(type).csv")
      try Data(([head] + rows).joined(separator: "\n").utf8).write(to: file)
      let outcome = try await shop.shell.fettle(
        arguments: [
          "record", "import", type, file.path, "--company", shop.workshop.slug, "--as",
          shop.workshop.owner.email,
        ]
      )
      try #require(outcome.status == 0, "\(outcome.errors)")
    }
  }

  private static func print(_ name: String, _ values: [Double], _ unit: String) {
    let sorted = values.sorted()
    let shown = [sorted[sorted.count / 2], sorted[0], sorted[sorted.count - 1]]
      .map { $0.formatted(.number.precision(.fractionLength(0...1)).locale(Locale(identifier: "en_GB"))) }
    Swift.print("field: \(name): \(shown[0]) (\(shown[1]) - \(shown[2])) \(unit)")
  }
}
