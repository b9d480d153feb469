import BrowserFixtures
import Foundation
import TestTools
import Testing
import Values

/// How the app looks, for everybody, and how much of it a phone loads.
@Suite(.timeLimit(.minutes(60))) struct FieldLookTests {
  /// The folder for a picture of every screen; nil for none.
  private static let pictures = ProcessInfo.processInfo.environment["FETTLE_FIELD_PICTURES"]
    .map { URL(filePath: $0) }

  @Test(arguments: [("en", false), ("sv", true)])
  func `axe finds nothing on any screen, and nothing is cut off at 360`(_ language: String, _ isDark: Bool)
    async throws
  {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let word = "Axe\(UUID().uuidString.prefix(6))"
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await browser.prefer(Preferences(isDark: isDark))
      func look(_ name: String) async throws {
        let found = try await browser.axe(expecting: try await browser.heading)
        #expect(found == [], "\(name)")
        #expect(try await browser.fitsWidth, "\(name)")
        guard let folder = Self.pictures else { return }
        let file = name.replacing("/", with: "-").replacing(/[0-9a-f]{8}-[-0-9a-f]+/, with: "id")
        try await browser.screenshot(to: folder.appending(path: "\(language)-\(file).png"), wholePage: true)
      }
      try await phone.open()
      try await look("sign-in")
      try await phone.signIn(person)
      // An order with a conflict, and one that waits.
      let path = try await phone.report(word)
      try await phone.synchronised()
      let entry = try #require(try await shop.entries(word).first)
      proxy.mode = .closed
      try await phone.press("Change")
      try await browser.field("Description").replace(with: "\(word) phone")
      try await phone.submit()
      try await browser.shows("Saved on this phone")
      _ = try await shop.fettle(
        "entry",
        "update",
        entry["number"]?.string ?? "",
        "--description",
        "\(word) office",
        "--company",
        "workshop"
      )
      proxy.mode = .open
      try await phone.tab("Outbox")
      try await phone.press(at: "#send:not([disabled])")
      try await browser.shows("1 needs your decision")
      proxy.mode = .closed
      try await phone.report("\(word) waits", photos: 1)
      try await browser.executeWaiting(
        """
        const [language, done] = arguments
        const request = indexedDB.open('fettle')
        request.onsuccess = () => {
          const work = request.result.transaction(['setting'], 'readwrite')
          work.objectStore('setting').put(language, 'language')
          work.oncomplete = () => { request.result.close(); done(true) }
        }
        """,
        .string(language)
      )
      let id = path.split(separator: "/").last.map(String.init) ?? ""
      let machine = entry["machine_id"]?.string ?? ""
      let no = try #require(
        try await phone.queue().first { $0["status"]?.string == "conflict" }?["no"]?.integer
      )
      for place in [
        "/app/", "/app/machines", "/app/m/workshop/\(machine)", "/app/report", path,
        "/app/edit/maintenance.entry/\(id)",
        "/app/hours/\(id)", "/app/comment/maintenance.entry/\(id)", "/app/do/maintenance.entry/\(id)/delete",
        "/app/outbox",
        "/app/outbox/\(no)", "/app/more", "/app/log", "/app/out", "/app/macros", "/app/solar", "/app/sign-in",
        "/app/nothing",
      ] {
        try await phone.open(place)
        #expect(try await browser.find("html").attribute("lang") == language)
        try await look(place)
      }
    }
  }

  @Test func `a phone loads at most 70 kB for the app, compressed`() async throws {
    let shop = try await BrowserShop.shared()
    func size(_ path: String) async throws -> Int {
      let answer = try await Loopback.request(
        "GET",
        path,
        port: shop.port,
        fields: ["Accept-Encoding": "gzip"]
      )
      #expect(answer.status == 200, "\(path)")
      return answer.body.count
    }
    let worker = try await Loopback.request("GET", "/app/worker.js", port: shop.port)
    #expect(worker.fields["cache-control"] == "no-cache")
    let build = try #require(worker.text.firstMatch(of: /const BUILD = "([0-9a-f]+)"/)).1
    var sum = 0
    for path in ["/app/worker.js", "/app/shell", "/app/manifest.webmanifest", "/app/b/\(build)/all.json"] {
      sum += try await size(path)
    }
    #expect(sum <= 70_000)
    let file = try await Loopback.request("GET", "/app/b/\(build)/app.js", port: shop.port)
    #expect(file.fields["cache-control"] == "public, max-age=31536000, immutable")
    let old = try await Loopback.request("GET", "/app/b/000000000000/app.js", port: shop.port)
    #expect(old.fields["cache-control"] == "no-store")
  }

  @Test func `a machine's code opens the machine in the app, offline too, and the console without the app`()
    async throws
  {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let machines =
      try await shop.get("/v1/maintenance/machine", as: shop.workshop.owner)["items"]?.array ?? []
    let id = try #require(machines.first { $0["code"]?.string == "RM-001" }?["id"]?.string)
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await browser.open("\(phone.base)/app/m/workshop/\(id)")
      try await browser.waitForHeading("Sign in")
      let path = try await browser.path
      #expect(path.hasPrefix("/sign-in") || path.hasPrefix("/c/workshop/"))
      try await phone.signIn(person)
      proxy.mode = .closed
      try await phone.open("/app/m/workshop/\(id)")
      try await browser.waitForHeading("RM-001")
      try await phone.press("Report a problem")
      #expect(try await browser.field("Machine").value == id)
    }
  }
}
