import BrowserFixtures
import EndToEndFixtures
import Foundation
import TestTools
import Testing
import Values

/// The power is lost while the phone sends.
@Suite(.timeLimit(.minutes(60))) struct FieldKillTests {
  @Test(arguments: [1])
  func `ten kills of a phone that sends lose nothing and double nothing`(_ seed: UInt64) async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.ownFieldPerson()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let word = "Sends\(UUID().uuidString.prefix(6))"
    var random = SeededRandom(seed: seed)
    var options = Browser.Options()
    options.profile = try Leftovers.folderUntilExit().appending(path: "profile")
    let base = "http://127.0.0.1:\(proxy.port)"
    try await Browser.open(options) { browser in try await FieldPhone(browser, base: base).signIn(person) }
    for round in 1...10 {
      let pause = Int.random(in: 0...1_500, using: &random)
      // In every third round the network is there at the launch, and with it a new refresh token.
      proxy.mode = round % 3 == 0 ? .open : .closed
      try await Browser.openUntilPowerLoss(options) { browser in
        let phone = try await FieldPhone(browser, base: base)
        try await phone.open()
        #expect(try await browser.heading == "Today", "round \(round)")
        if round % 3 == 0 { return }
        try await phone.report("\(word) \(round)", photos: 1)
        proxy.mode = .open
        if round % 3 == 2 {
          try await phone.signInIfNeeded(person)
          proxy.mode = .closed
          try await phone.tab("Today")
          proxy.mode = .open
        }
        try await phone.tab("Outbox")
        _ = try? await browser.find("#send:not([disabled])").click()
        try await Task.sleep(for: .milliseconds(pause))
      }
    }
    proxy.mode = .open
    try await Browser.openUntilPowerLoss(options) { browser in
      let phone = try await FieldPhone(browser, base: base)
      try await phone.open()
      try await phone.signInIfNeeded(person)
      try await phone.send()
      #expect(try await phone.queue(of: person).allSatisfy { $0["status"]?.string == "synced" })
    }
    let entries = try await shop.entries(word)
    #expect(
      entries.compactMap { $0["description"]?.string }.sorted()
        == [1, 10, 2, 4, 5, 7, 8].map { "\(word) \($0)" }
    )
    for entry in entries {
      #expect(entry["created_by_name"]?.string == person.name)
      #expect(try await shop.story(of: entry) == ["create", "edit"])
      #expect(try await shop.photos(of: entry).count == 1)
    }
  }

  /// Chromium deletes the databases of an origin at the second launch after a write that was cut short.
  @Test func `what waits survives the loss of the browser's own storage`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.ownFieldPerson()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let word = "Torn\(UUID().uuidString.prefix(6))"
    var options = Browser.Options()
    let profile = try Leftovers.folderUntilExit().appending(path: "profile")
    options.profile = profile
    let base = "http://127.0.0.1:\(proxy.port)"
    try await Browser.open(options) { browser in
      let phone = try await FieldPhone(browser, base: base)
      try await phone.signIn(person)
      try await phone.report("\(word) sent")
      try await phone.send()
    }
    proxy.mode = .closed
    try await Browser.openUntilPowerLoss(options) { browser in
      let phone = try await FieldPhone(browser, base: base)
      try await phone.open()
      try await phone.report("\(word) before", photos: 1)
    }
    let isTorn = try PowerLoss.tearWrite(in: profile, port: proxy.port)
    try await Browser.openUntilPowerLoss(options) { browser in
      let phone = try await FieldPhone(browser, base: base)
      try await phone.open()
      try await phone.report("\(word) after", photos: 1)
      try await phone.tab("Report")
      try await browser.field("What is wrong?").type("\(word) draft")
      try await phone.photograph()
      try await phone.press(at: ".thumb img")
    }
    try await Browser.open(options) { browser in
      let phone = try await FieldPhone(browser, base: base)
      try await phone.open()
      #expect(try await browser.heading == "Today")
      let queue = try await phone.queue(of: person).filter { $0["status"]?.string == "pending" }
      #expect(queue.map { $0["op"]?.string } == ["create", "attach", "create", "attach"])
      #expect(queue.compactMap { $0["no"]?.integer } == [2, 3, 4, 5])
      try await phone.press("Go on writing")
      #expect(try await browser.field("What is wrong?").value == "\(word) draft")
      #expect(try await browser.all(".thumb img").count == 1)
      try await phone.tab("More")
      #expect(try await browser.text.contains(person.name))
      try await phone.press("Log")
      #expect(try await browser.text.contains("came back from the copy") == isTorn)
      proxy.mode = .open
      try await phone.tab("Today")
      try await phone.send()
      // Nothing that was sent stays in the copy.
      let left = try await browser.executeWaiting(Self.copied, .string(person.email))
      #expect(left.array == [], "\(left)")
    }
    let entries = try await shop.entries(word)
    #expect(
      entries.compactMap { $0["description"]?.string }.sorted()
        == ["\(word) after", "\(word) before", "\(word) sent"]
    )
    for entry in entries where entry["description"]?.string?.contains("sent") != true {
      #expect(try await shop.story(of: entry) == ["create", "edit"])
      #expect(try await shop.photos(of: entry).count == 1)
    }
  }

  /// Reads the copy: the stores with rows, apart from the numbers and the draft.
  private static let copied = """
    const [email, done] = arguments
    const rows = (place, name, stores) => new Promise(resolve => {
      const request = place.open(name)
      request.onsuccess = () => {
        const database = request.result, transaction = database.transaction(stores), found = {}
        for (const store of stores) transaction.objectStore(store).getAll().onsuccess = event => { found[store] = event.target.result }
        transaction.oncomplete = () => { database.close(); resolve(found) }
      }
    })
    navigator.storageBuckets.open('copy').then(async bucket => {
      const {account} = await rows(bucket.indexedDB, 'fettle', ['account'])
      const found = await rows(bucket.indexedDB, `fettle ${account.find(one => one.email === email).key}`, ['mutation', 'file', 'bytes', 'note'])
      done(Object.keys(found).filter(name => found[name].length))
    })
    """
}
