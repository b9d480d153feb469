import API
import Console
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Secrets
import Store
import Testing

/// The pages about the company itself: each thing that an administrator does is done once, from end to end.
@Suite(.timeLimit(.minutes(60))) struct SettingsTests {
  private static let sections = ["company", "roles", "workflows", "webhooks", "jobs", "devices", "audit"]

  /// Reads a secret as an authenticator app does (RFC 4648).
  private static func bytes(base32 text: String) -> [UInt8]? {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var (bits, count, bytes): (UInt32, Int, [UInt8]) = (0, 0, [])
    for letter in text {
      guard let value = letters.firstIndex(of: letter) else { return nil }
      bits = (bits << 5) | UInt32(value)
      count += 5
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return bytes
  }

  @Test func `each person sees the sections that they may open, and no others`() async throws {
    let console = try await ConsoleFixture.open()
    for role in ["owner", "admin", "user", "viewer"] {
      var browser = try await console.browser(role)
      let home = try await browser.open(console.at(""))
      let shown = home.links.contains(console.at("/settings"))
      let first = try await browser.open(console.at("/settings"))
      #expect(shown == (first.status == 200), "\(role)")
      for section in Self.sections {
        let isOffered = first.links.contains(console.at("/settings/\(section)"))
        let page = try await browser.open(console.at("/settings/\(section)"))
        // Everybody may see their own phones, whether or not the page of all phones is offered.
        let isShown = page.status == 200
        #expect(section == "devices" ? isShown : isOffered == isShown, "\(role) \(section): \(page.status)")
      }
    }
  }

  @Test func `a company gets another name and time zone, and a wrong zone stays in the form`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    try await browser.open(console.at("/settings/company"))
    let wrong = try await browser.send(
      "/settings/company",
      ["name": "Åkeri & Co", "timezone": "Mars/Olympus"]
    )
    #expect(wrong.status == 422)
    #expect(wrong.form("/settings/company")?.fields.contains { $0.value == "Mars/Olympus" } == true)
    let page = try await browser.send(
      "/settings/company",
      ["name": "Åkeri & Co", "timezone": "Europe/Helsinki"]
    )
    #expect(page.status == 200)
    #expect(page.plain.contains("Åkeri & Co"))
    let audit = try await browser.open(console.at("/settings/audit"))
    #expect(audit.plain.contains("Europe/Helsinki"))
  }

  @Test func `a role of the company's own is made, given rights, explained, and deleted`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    try await browser.open(console.at("/settings/roles"))
    let form = try await browser.send(
      "/settings/roles",
      ["label": "Foreman", "role": "foreman", "from": "viewer"]
    )
    #expect(form.heading == "Foreman")
    let place = "/settings/roles/foreman"
    try await browser.send(
      place,
      ["p.maintenance.entry.complete": "all", "p.maintenance.entry.update": "own"]
    )
    let roles = try await Roles(console.services).find(console.shop.acting("owner"), name: "foreman")
    #expect(roles.permissions.contains("maintenance.entry.complete"))
    #expect(roles.permissions.contains("maintenance.entry.update.own"))
    #expect(!roles.permissions.contains("maintenance.entry.update"))
    let gone = try await browser.send("\(place)/delete")
    #expect(!gone.plain.contains("Foreman"))
  }

  @Test func `the matrix of roles says what the explanation says`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    let page = try await browser.open(console.at("/settings/roles"))
    let explainer = AccessExplainer(console.services)
    let entry = try await console.shop.entry("admin")
    let subject = try AccessExplainer.Subject(parsing: "maintenance.entry:\(entry.text)", permission: "")
    var cells = 0
    for role in ["admin", "user", "viewer"] {
      let member = try #require(console.shop.members[role])
      for verb in ["read", "update", "start", "delete"] {
        let permission = "maintenance.entry.\(verb)"
        let answer = try await explainer.explain(
          console.shop.acting("owner"),
          member: member.email,
          permission: permission,
          on: subject
        )
        let reach = page.reach(of: permission, role: role)
        // The entry is the administrator's own.
        let expected = reach == "all" || (reach == "own" && role == "admin")
        #expect(answer.decision.isAllowed == expected, "\(role) \(permission): \(reach)")
        cells += 1
      }
    }
    print("roles × rights: \(cells) cells")
  }

  @Test func `a webhook is added with its secret shown once, tested, switched off and removed`() async throws
  {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    let list = try await browser.open(console.at("/settings/webhooks"))
    let form = try #require(list.form("/settings/webhooks"))
    var fields = form.fields.filter { $0.name != "url" && $0.name != "event" }
    fields += [("url", "https://receiver.example/in"), ("event", "maintenance.entry.*")]
    let made = try await browser.post(form.action, fields)
    #expect(made.status == 201)
    let secret = try #require(made.text.firstMatch(of: /class="code">([^<]+)</)).1
    // The same form again is the same webhook.
    #expect(try await browser.post(form.action, fields).text.contains(secret))
    let again = try await browser.open(console.at("/settings/webhooks"))
    #expect(!again.text.contains(secret))
    let hook = try #require(again.links.first { $0.contains("/settings/webhooks/") })
    let page = try await browser.open(hook)
    #expect(page.heading == "https://receiver.example/in")
    #expect(try await browser.send("/test").status == 200)
    #expect(try await browser.send("/off").plain.contains("Switch on"))
    #expect(try await browser.send("/on").plain.contains("Switch off"))
    let redelivered = try await browser.post("\(hook)/failed", [("key", UUID().uuidString.lowercased())])
    #expect(redelivered.status == 200, "\(redelivered.plain.suffix(300))")
    #expect(try await browser.send("/rotate").text.contains("class=\"code\""))
    try await browser.open(hook)
    #expect(try await browser.send("/remove").plain.contains("No program is told yet."))
  }

  @Test func `jobs are listed by state, and a schedule is paused, resumed and run`() async throws {
    let console = try await ConsoleFixture.open()
    _ = try await console.shop.entry("admin")
    var browser = try await console.browser("owner")
    let page = try await browser.open(console.at("/settings/jobs"))
    #expect(page.status == 200)
    let pause = try #require(page.forms.first { $0.action.hasSuffix("/pause") })
    let paused = try await browser.post(pause.action, [])
    #expect(paused.plain.contains("Paused"))
    let resumed = try await browser.post(pause.action.replacing("/pause", with: "/resume"), [])
    #expect(!resumed.plain.contains("Paused"))
    let run = try await browser.post(pause.action.replacing("/pause", with: "/run"), [])
    #expect(run.status == 200)
    let waiting = try await browser.open(console.at("/settings/jobs?state=queued"))
    let job = try #require(waiting.links.first { $0.contains("/settings/jobs/") && !$0.contains("?") })
    let shown = try await browser.open(job)
    #expect(shown.plain.contains("Waiting"))
    #expect(try await browser.send("/cancel").plain.contains("Cancelled"))
  }

  @Test func `a conflict of a phone is shown with both values, and decided for the phone or for the office`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    var (phone, office) = (try await console.browser("user"), try await console.browser("admin"))
    let device: JSONValue = .string(UUID().uuidString.lowercased())
    func send(_ path: String, _ body: JSONObject) async throws -> TestPage {
      let bytes = Array(JSONValue.object(body).text.utf8)
      return try await phone.show(.post, path, .bytes(bytes), type: "application/json")
    }
    let registered = try await send(
      "/v1/sync/devices",
      ["id": device, "name": "Anas telefon", "schema_version": 1, "app": "maintenance"]
    )
    #expect(registered.status == 201, "\(registered.text)")
    for (number, choice) in [(1, "mine"), (2, "server")] {
      let entry = try await console.shop.entry("user", ["description": "As reported"])
      _ = try await console.shop.records.update(
        console.shop.acting("admin"),
        type: "maintenance.entry",
        id: entry,
        fields: ["description": "Written in the office"],
        version: 1
      )
      let change: JSONObject = [
        "no": .integer(number), "type": "maintenance.entry", "id": .string(entry.text), "op": "patch",
        "fields": ["description": "Written on the phone"], "base_version": 1,
      ]
      let pushed = try await send(
        "/v1/sync/push",
        ["device_id": device, "mutations": .array([.object(change)])]
      )
      #expect(pushed.text.contains("\"conflict\""), "\(pushed.text)")
      let page = try await office.open(console.at("/settings/devices"))
      #expect(page.plain.contains("Written on the phone"), "\(page.plain.suffix(600))")
      #expect(page.plain.contains("Written in the office"))
      let decided = try await office.send("/\(number)/\(choice)")
      #expect(decided.plain.contains("nothing waits for a decision"), "\(decided.plain.suffix(400))")
      let now = try await console.shop.records.show(
        console.shop.acting("admin"),
        type: "maintenance.entry",
        id: entry
      )
      let expected = choice == "mine" ? "Written on the phone" : "Written in the office"
      #expect(now["description"]?.string == expected)
    }
    try await office.open(console.at("/settings/devices"))
    #expect(try await office.send("/revoke").plain.contains("Refused"))
  }

  @Test func `somebody sets up a second step, and ends other sessions`() async throws {
    let console = try await ConsoleFixture.open()
    var (browser, other) = (try await console.browser("user"), try await console.browser("user"))
    try await other.open(console.at(""))
    try await browser.open(console.at("/me/safety"))
    let setup = try await browser.send("/me/safety/factor")
    let secret = try #require(setup.text.firstMatch(of: /class="code">([A-Z2-7]+)</)).1
    let wrong = try await browser.send("/factor/confirm", ["code": "000000"])
    #expect(wrong.status == 422)
    let code = OneTimePassword.code(
      try #require(Self.bytes(base32: String(secret))),
      step: OneTimePassword.step(at: Int64(Date().timeIntervalSince1970))
    )
    let codes = try await browser.send("/factor/confirm", ["code": code])
    #expect(codes.heading == "Recovery codes")
    #expect(codes.text.matches(of: /<li><code>/).count >= 8)
    try await browser.open(console.at("/me/safety"))
    #expect(browser.page.plain.contains("In use"))
    try await browser.send("/sessions/others")
    #expect(try await other.open(console.at("")).heading == "Sign in")
  }

  @Test func `a workflow is shown as a picture, made stricter, and followed in a version of one's own`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    let place = console.at("/workflows/maintenance/entry")
    let page = try await browser.open(place)
    #expect(page.text.contains("\(place)/picture.svg"))
    let picture = try await browser.open("\(place)/picture.svg")
    #expect(picture.headers["content-type"] == "image/svg+xml")
    #expect(picture.text.contains("In progress"))
    try await browser.open("\(place)/overlay")
    let strict = try await browser.send("/overlay", ["comment.complete": "5", "label.complete": "Sign off"])
    #expect(strict.plain.contains("stricter here"))
    // The rule holds at once, on the page too.
    let entry = try await console.shop.entry("admin")
    try await browser.open(console.at("/maintenance/entry/\(entry.text)"))
    try await browser.send("/do/start")
    try await browser.open(console.at("/maintenance/entry/\(entry.text)/do/complete"))
    #expect(try await browser.send("/do/complete", ["comment": "ok"]).status == 422)
    #expect(try await browser.send("/do/complete", ["comment": "all done"]).status == 200)
    try await browser.open("\(place)/overlay")
    #expect(!(try await browser.send("/overlay/remove").plain.contains("stricter here")))
    let own = try await browser.open("\(place)/own")
    let text = try #require(own.form("/own")?.fields.first { $0.name == "text" }?.value)
    let wrong = try await browser.send(
      "/own",
      ["text": text.replacing("initial: pending", with: "initial: nowhere")]
    )
    #expect(wrong.status == 422)
    #expect(wrong.plain.contains("nowhere"))
  }
}

extension TestPage {
  /// How far a right of a role goes, as the matrix says.
  fileprivate func reach(of permission: String, role: String) -> String {
    let parts = text.matches(of: /<tr data-right="([^"]*)">((?:.|\n)*?)<\/tr>/)
    guard let row = parts.first(where: { $0.1 == permission }) else { return "" }
    let cell = String(row.2).matches(of: /data-role="([^"]*)" data-reach="([^"]*)"/).first { $0.1 == role }
    return cell.map { String($0.2) } ?? ""
  }
}
