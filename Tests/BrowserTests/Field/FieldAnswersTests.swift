import BrowserFixtures
import Foundation
import TestTools
import Testing
import Values

/// Networks that lie: answers that are cut, portals that answer for the server, and a server that is not well.
@Suite(.timeLimit(.minutes(60))) struct FieldAnswersTests {
  @Test(arguments: [BrowserEngine.chromium, .webkit])
  func `twenty cut answers lose nothing and double nothing`(_ engine: BrowserEngine) async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let word = "Cut\(UUID().uuidString.prefix(6))"
    try await Browser.open(Browser.Options(engine)) { browser in
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await phone.signIn(person)
      proxy.mode = .closed
      for number in 1...4 { try await phone.report("\(word) \(number)", photos: number % 2) }
      let cuts = proxy.cuts
      proxy.cut(next: 20)
      try await phone.send()
      #expect(proxy.cuts - cuts == 20)
    }
    let entries = try await shop.entries(word)
    #expect(entries.compactMap { $0["description"]?.string }.sorted() == (1...4).map { "\(word) \($0)" })
    var photos = 0
    for entry in entries { photos += try await shop.photos(of: entry).count }
    #expect(photos == 2)
  }

  @Test(arguments: [BrowserEngine.chromium, .webkit])
  func `the page of a captive portal and a busy proxy are no answers`(_ engine: BrowserEngine) async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let word = "Portal\(UUID().uuidString.prefix(6))"
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    try await Browser.open(Browser.Options(engine)) { browser in
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await phone.signIn(person)
      for answer in [
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n",
        "HTTP/1.1 503 Service Unavailable\r\n", "HTTP/1.1 401 Unauthorized\r\n",
        "HTTP/1.1 302 Found\r\nLocation: /\r\n",
      ] {
        let portal = try LoopbackServer(concurrent: true) { connection in
          _ = connection.receive()
          let body = "{\"results\":[],\"push\":{\"results\":[]}}"
          _ = connection.send(
            Array("\(answer)Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)".utf8)
          )
        }
        proxy.target = portal.port
        try await phone.report("\(word) \(answer.prefix(12).suffix(3))")
        try await phone.tab("Outbox")
        try await phone.press(at: "#send:not([disabled])")
        try await browser.shows("No coverage")
        try await browser.wait(for: "a change that waits") {
          try await phone.queue().last?["status"]?.string == "pending"
        }
        #expect(try await phone.queue().last?["attempts"]?.integer == 0)
        #expect(try await !browser.text.contains("Signed out"))
        portal.stop()
      }
      proxy.target = shop.port
      try await phone.send()
    }
    #expect(try await shop.entries(word).count == 5)
  }

  /// A server of another release may refuse what this one reads, and does not say which change it is.
  @Test func `a change for which a whole request is refused keeps no other one on the phone`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let word = "Whole\(UUID().uuidString.prefix(6))"
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await phone.signIn(person)
      proxy.mode = .closed
      for number in 1...5 { try await phone.report("\(word) \(number)") }
      try await browser.execute(
        """
        const [word, real] = [arguments[0], fetch]
        window.fetch = (path, options) => String(options?.body).includes(word)
          ? Promise.resolve(new Response('{"code": "invalid_json", "detail": "no text"}', {
            status: 400, headers: {'x-request-id': options.headers['x-request-id']} }))
          : real(path, options)
        """,
        .string("\(word) 2")
      )
      proxy.mode = .open
      try await phone.tab("Outbox")
      try await phone.press(at: "#send:not([disabled])")
      try await browser.shows("1 needs your decision")
      try await browser.wait(for: "the others") { try await shop.entries(word).count == 4 }
      #expect(try await !browser.text.contains("The server is busy"))
      try await browser.wait(for: "the decision") {
        if try await browser.path.hasPrefix("/app/outbox/") { return true }
        try await phone.press(at: "#queue .pill.red")
        return try await browser.path.hasPrefix("/app/outbox/")
      }
      try await browser.shows("A text has signs that cannot be sent")
      try await phone.press("Discard it")
      try await phone.send()
    }
    #expect(try await shop.entries(word).count == 4)
  }
}
