import BrowserFixtures
import EndToEndFixtures
import Foundation
import TestTools
import Testing
import Values

/// A week without a network, in which everything goes wrong that goes wrong in the field.
@Suite(.timeLimit(.minutes(60))) struct FieldWeekTests {
  /// What a day brings besides work, by its number.
  private enum Trouble: Int {
    case portal = 2
    case otherPerson = 4
    case fullStorage = 5
  }

  /// The clock of the phone is a day behind.
  private static let clock = """
    { const Real = Date, wrong = -86400 * 1000
      globalThis.Date = class extends Real {
        constructor(...all) { if (all.length) super(...all); else super(Real.now() + wrong) }
        static now() { return Real.now() + wrong }
      } }
    """

  @Test func `a week offline, with the power lost each evening, arrives once and in order`() async throws {
    let shop = try await BrowserShop.shared()
    let (person, other) = (try await shop.ownFieldPerson(), try await shop.ownFieldPerson())
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let word = "Week\(UUID().uuidString.prefix(6))"
    var options = Browser.Options()
    options.profile = try Leftovers.folderUntilExit().appending(path: "profile")
    func opened(_ body: (FieldPhone) async throws -> Void) async throws {
      try await Browser.openUntilPowerLoss(options) { browser in
        try await browser.chromium("Page.addScriptToEvaluateOnNewDocument", ["source": .string(Self.clock)])
        let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
        try await phone.open()
        try await body(phone)
      }
    }
    // Cookies reach the disk half a minute later, or when the browser is closed: a sign-in is worth that.
    try await Browser.open(options) { browser in
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await phone.signIn(other)
      try await phone.otherSignsIn(person)
    }
    proxy.mode = .closed
    // The photos that found room on the day of the full storage, without the one of every day.
    var more = 0
    // Each day: a report with a photo, its work, a note and hours, and on five days another photo.
    for day in 1...7 {
      try await opened { phone in
        #expect(
          try await phone.queue(of: person).count == Self.changes(until: day - 1) + (day > 5 ? more : 0)
        )
        switch Trouble(rawValue: day) {
        case .portal: try await Self.portal(phone, proxy, shop.port)
        case .otherPerson: try await Self.otherPerson(phone, other, person, word)
        case .fullStorage, nil: break
        }
        let isFull = day == Trouble.fullStorage.rawValue
        try await phone.report("\(word) day \(day)", photos: isFull ? 0 : 1)
        if isFull { more = try await Self.fullStorage(phone) - 1 }
        if day > 2 { try await phone.addPhoto() }
        try await phone.complete("Done on day \(day)")
        try await phone.logHours("0\(day):00", "0\(day):30")
        #expect(try await phone.browser.text.contains("No coverage"))
      }
    }
    #expect(Self.changes(until: 7) >= 40)
    // The network is back, and bad; the power is lost once more while the phone sends.
    let cuts = proxy.cuts
    proxy.cut(next: 20)
    try await opened { phone in
      try await phone.tab("Outbox")
      _ = try? await phone.browser.find("#send:not([disabled])").click()
      try await phone.browser.wait(for: "some cut answers") { proxy.cuts - cuts >= 5 }
    }
    try await opened { phone in
      try await phone.signInIfNeeded(person)
      try await phone.send()
      #expect(proxy.cuts - cuts == 20)
      let queue = try await phone.queue(of: person)
      #expect(queue.count == Self.changes(until: 7) + more)
      #expect(queue.allSatisfy { $0["status"]?.string == "synced" })
      #expect(try await shop.entries(word).count == 7)
      try await phone.turn(to: other)
      try await phone.send()
    }
    try await check(shop, word, person, other, more)
  }

  /// Checks what the office sees.
  private func check(
    _ shop: BrowserShop,
    _ word: String,
    _ person: BrowserShop.Person,
    _ other: BrowserShop.Person,
    _ more: Int
  ) async throws {
    let all = try await shop.entries(word)
    let (entries, others) = (
      all.filter { $0["description"]?.string?.contains("day") == true },
      all.filter { $0["description"]?.string?.contains("other") == true }
    )
    #expect(entries.count == 7)
    var count = 0
    var moments: [(Instant, Instant)] = []
    let inOrder = entries.sorted { ($0["description"]?.string ?? "") < ($1["description"]?.string ?? "") }
    for entry in inOrder {
      let day = try #require(entry["description"]?.string?.suffix(1)).description
      #expect(entry["status"]?.string == "completed")
      #expect(entry["completion_note"]?.string == "Done on day \(day)")
      #expect(entry["created_by_name"]?.string == person.name)
      #expect(entry["hours_logged"]?.number?.text.hasPrefix("0.5") == true)
      let times = try ["started_at", "completed_at"].map { column in
        try #require(entry[column]?.string.flatMap(Instant.init(rfc3339:)))
      }
      moments.append((times[0], times[1]))
      for time in times {
        let age = Date().timeIntervalSince1970 - Double(time.microseconds) / 1_000_000
        #expect((0...1_200).contains(age), "day \(day)")
      }
      // A photo is an edit too, in its place: before the work was completed.
      let edits = (day == "1" || day == "2" ? 1 : 2) + (day == "5" ? more : 0)
      #expect(
        try await shop.story(of: entry) == ["create"] + Array(repeating: "edit", count: edits) + [
          "start", "edit", "complete",
        ]
      )
      let photos = try await shop.photos(of: entry)
      #expect(photos.count == edits, "day \(day)")
      #expect(photos.allSatisfy { $0["author"]?.string == person.name })
      count += photos.count
    }
    #expect(count == 12 + more)
    #expect(moments.allSatisfy { $0.0 <= $0.1 })
    #expect(others.compactMap { $0["created_by_name"]?.string } == [other.name])
    #expect(try await shop.photos(of: #require(others.first)).count == 1)
  }

  /// The changes of the first days: report, photo, start, note, completion, hours; from the third day on another photo.
  private static func changes(until day: Int) -> Int { 6 * day + max(0, day - 2) }

  /// A hotel's network answers in place of the server.
  private static func portal(_ phone: FieldPhone, _ proxy: TCPProxy, _ port: Int) async throws {
    let portal = try LoopbackServer(concurrent: true) { connection in
      _ = connection.receive()
      let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"
      _ = connection.send(Array("\(head)Hello".utf8))
    }
    defer { portal.stop() }
    proxy.target = portal.port
    proxy.mode = .open
    try await phone.tab("Outbox")
    try await phone.press(at: "#send:not([disabled])")
    try await phone.browser.shows("No coverage")
    proxy.mode = .closed
    proxy.target = port
  }

  /// A colleague borrows the phone for a report.
  private static func otherPerson(
    _ phone: FieldPhone,
    _ other: BrowserShop.Person,
    _ person: BrowserShop.Person,
    _ word: String
  ) async throws {
    try await phone.turn(to: other)
    #expect(try await !phone.browser.text.contains(word))
    try await phone.report("\(word) other", photos: 1)
    try await phone.turn(to: person)
  }

  /// The phone has no space for a photo until something else was deleted.
  ///
  /// - Returns: the photos that the phone has then, at least one.
  private static func fullStorage(_ phone: FieldPhone) async throws -> Int {
    try await phone.fillStorage()
    let kept = try await phone.photographUntilFull()
    try await phone.browser.chromium(
      "Storage.overrideQuotaForOrigin",
      ["origin": .string(phone.base)]
    )
    if kept == 0 { try await phone.addPhoto() }
    return max(kept, 1)
  }
}

extension FieldPhone {
  /// Signs another person in, and waits until the phone has everything of theirs.
  fileprivate func otherSignsIn(_ person: BrowserShop.Person) async throws {
    try await tab("More")
    try await press("Somebody else signs in")
    try await browser.waitForHeading("Sign in")
    try await browser.field("E-mail address").type(person.email)
    try await browser.field("Password").type(person.password)
    try await submit()
    try await browser.waitForHeading("Today")
    try await synchronised()
  }

  /// Hands the phone to another person who has signed in.
  fileprivate func turn(to person: BrowserShop.Person) async throws {
    try await tab("More")
    try await press(person.name)
    try await browser.waitForHeading("Today")
  }

  /// Leaves no space.
  fileprivate func fillStorage() async throws {
    try await browser.chromium(
      "Storage.overrideQuotaForOrigin",
      ["origin": .string(base), "quotaSize": 1]
    )
  }

  /// Photographs until the phone refuses a photo.
  ///
  /// - Returns: the photos that were kept. The browser notices by a transaction or two later.
  fileprivate func photographUntilFull() async throws -> Int {
    var kept = 0
    while true {
      let before = try await browser.all("figure.photo").count
      try await photograph(width: 1_600, height: 1_200)
      try await browser.wait(for: "a photo or its refusal") {
        if try await browser.text.contains("The photo does not fit on the phone. Your text is saved.") {
          return true
        }
        return try await browser.all("figure.photo").count > before
      }
      if try await browser.text.contains("The photo does not fit") { return kept }
      kept += 1
    }
  }
}
