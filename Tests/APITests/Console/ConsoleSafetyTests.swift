import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// What pages must never do: show what the server refuses, leak another company, lose a form, run what people wrote.
@Suite(.timeLimit(.minutes(60))) struct ConsoleSafetyTests {
  @Test(arguments: ["owner", "admin", "user", "viewer"])
  func `the actions that a page offers are those that the API allows`(_ role: String) async throws {
    let console = try await ConsoleFixture.open()
    let entry = try await console.shop.entry()
    let started = try await console.shop.entry()
    try await console.shop.take("start", started)
    var browser = try await console.browser(role)
    let records = try await Records.open(console.services)
    var seen = 0
    for (type, id) in [
      ("maintenance.entry", entry), ("maintenance.entry", started),
      ("maintenance.machine", console.shop.machine),
      ("maintenance.category", console.shop.category),
    ] {
      let path = console.at("/\(type.replacing(".", with: "/"))/\(id.text)")
      let page = try await browser.open(path)
      #expect(page.status == 200)
      let record = try await records.show(console.shop.acting(role), type: type, id: id)
      let allowed = Set(record["allowed"]?.array?.compactMap(\.string) ?? [])
      let places = page.links + page.forms.map(\.action)
      var offered = Set(places.compactMap { $0.firstMatch(of: /\/do\/([a-z_]+)$/).map { String($0.1) } })
      if places.contains(where: { $0.hasSuffix("\(id.text)/edit") }) { offered.insert("update") }
      if places.contains(where: { $0.hasSuffix("\(id.text)/delete") }) { offered.insert("delete") }
      if page.form("/comments") != nil { offered.insert("comment") }
      #expect(offered == allowed, "\(role) \(type)")
      seen += allowed.count
      // What is not offered is refused, whatever a person sends.
      for action in ["start", "complete", "reopen", "take_out"] where !allowed.contains(action) {
        let forged = try await browser.post("\(path)/do/\(action)", [("comment", "forged")])
        #expect(forged.status >= 400, "\(role) \(action)")
      }
    }
    #expect(role == "viewer" || seen > 3)
  }

  @Test func `a list offers to create exactly where the API creates`() async throws {
    let console = try await ConsoleFixture.open()
    for role in ["owner", "user", "viewer"] {
      var browser = try await console.browser(role)
      for type in console.services.catalogue.current.types {
        let path = console.at("/\(type.name.replacing(".", with: "/"))")
        let page = try await browser.open(path)
        guard page.status == 200 else { continue }
        let offers = page.links.contains { $0 == "\(path)/new" }
        let form = try await browser.open("\(path)/new")
        #expect((form.status == 200) == offers, "\(role) \(type.name): \(form.status)")
      }
    }
  }

  @Test func `a page of another company is not there, and one of the person's own asks to switch`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    let other = try await Workshop.open()
    var browser = try await console.browser("admin")
    let stranger = try await browser.open(
      "/c/\(other.company.slug)/maintenance/machine/\(other.machine.text)"
    )
    let random = try await browser.open("/c/no-such-company/maintenance/machine/\(UUID().text)")
    #expect(stranger.status == 404 && random.status == 404)
    #expect(stranger.heading == random.heading)
    let record = try await browser.open(console.at("/maintenance/machine/\(other.machine.text)"))
    #expect(record.status == 404)
    let member = try #require(console.shop.members["admin"])
    let there = ActingContext(company: other.company, actor: .operator("tests"), user: nil)
    _ = try await Members(other.engine.operators).add(
      there,
      email: member.email,
      name: member.name,
      role: "viewer"
    )
    let own = try await browser.open("/c/\(other.company.slug)/maintenance/machine")
    #expect(own.status == 409)
    #expect(own.heading == "Another company")
    let switched = try await browser.send("/switch")
    #expect(switched.path == "/c/\(other.company.slug)/maintenance/machine")
    // A form of a page that stayed open in another tab does nothing there.
    let late = try await browser.post(
      console.at("/maintenance/machine/new"),
      [("f.code", "RM-9"), ("f.name", "x")]
    )
    #expect(late.status == 409)
  }

  @Test func `an ended session leads to the sign-in, once`() async throws {
    let console = try await ConsoleFixture.open()
    for path in ["/", "/sign-in", "/sign-up", console.at(""), console.at("/maintenance/machine?q=a")] {
      var browser = console.browser
      browser.cookies["__Host-fettle"] = "ended"
      let page = try await browser.open(path)
      #expect(page.status == 200, "\(path)")
      #expect(["Sign in", "Sign up"].contains(page.heading), "\(path)")
    }
  }

  @Test func `a form whose session had ended is kept through the sign-in`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("admin")
    try await browser.open(console.at("/maintenance/machine/new"))
    let form = try #require(browser.page.form("/new"))
    browser.cookies = [:]
    let page = try await browser.post(
      form.action,
      form.fields.filter { !$0.name.hasPrefix("f.") } + [("f.code", "RM-42"), ("f.name", "Kept \"quoted\"")]
    )
    #expect(page.status == 401)
    #expect(page.plain.contains("What you wrote is kept on this page."))
    let fields = try #require(page.form("/sign-in")).fields
    #expect(fields.contains { $0.name == "kept.f.name" && $0.value == "Kept \"quoted\"" })
  }

  @Test func `what people write is inert everywhere`() async throws {
    let console = try await ConsoleFixture.open()
    let evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u{202E}🚜&amp;"
    let machine = try await console.shop.records.create(
      console.shop.acting("admin"),
      type: "maintenance.machine",
      fields: ["code": .string("E\(evil.prefix(30))"), "name": .string(evil)]
    )
    let entry = try await console.shop.entry(
      "admin",
      ["description": .string(evil), "machine_id": .id(machine.id)]
    )
    var browser = try await console.browser("admin")
    let record = console.at("/maintenance/entry/\(entry.text)")
    try await browser.open(record)
    try await browser.send("/comments", ["body": evil])
    let pages = [
      record, record + "/edit", record + "/delete", console.at(""), console.at("/maintenance/entry"),
      console.at("/maintenance/entry/board"), console.at("/maintenance/machine/\(machine.id.text)"),
      console.at("/maintenance/machine"),
      console.at("/search?q=\(evil.prefix(60).description.percentEncoded)"),
      console.at("/maintenance/entry?q=\(evil.prefix(60).description.percentEncoded)"),
    ]
    for path in pages {
      let page = try await browser.open(path)
      #expect(page.status == 200, "\(path)")
      #expect(!page.text.contains("<script>") && !page.text.contains("<img src=x"), "\(path)")
      #expect(page.text.contains("&lt;script&gt;") || path.hasSuffix("/delete"), "\(path)")
      let policy = page.headers["content-security-policy"] ?? ""
      #expect(policy.contains("script-src 'self'") && policy.contains("require-trusted-types-for 'script'"))
      #expect(page.headers["referrer-policy"] == "same-origin")
    }
  }

  @Test func `a form of another site changes nothing`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("admin")
    browser.headers.append(("sec-fetch-site", "cross-site"))
    browser.headers.append(("origin", "https://evil.example"))
    let page = try await browser.post(
      console.at("/maintenance/machine/new"),
      [("f.code", "RM-66"), ("f.name", "x")]
    )
    #expect(page.status == 403)
    #expect(page.heading == "This did not come from a page of ours")
    var own = try await console.browser("admin")
    #expect(!(try await own.open(console.at("/maintenance/machine")).plain.contains("RM-66")))
  }

  @Test func `errors are pages for people and documents for programs`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("viewer")
    let missing = try await browser.open(console.at("/maintenance/nothing"))
    #expect(missing.status == 404 && missing.heading == "Nothing here")
    let unknown = try await browser.open("/no/such/page")
    #expect(unknown.status == 404 && unknown.heading == "Nothing here")
    #expect(try await browser.open("/v1/no-such-route").text.hasPrefix("{"))
    let slash = try await browser.open(console.at("/maintenance/machine/"))
    #expect(slash.status == 308 && slash.headers["location"] == console.at("/maintenance/machine"))
    for path in ["//evil.example/", "/\\evil.example/", "/c//evil.example/"] {
      #expect(try await browser.open(path).headers["location"] == nil, "\(path)")
    }
    let forbidden = try await browser.open(console.at("/maintenance/machine/new"))
    #expect(forbidden.status == 403 && forbidden.heading == "Not with your role")
    let wrong = try await browser.open(console.at("/maintenance/entry?sort=nonsense"))
    #expect(wrong.status == 422 && wrong.heading == "That did not work")
  }

  @Test func `a photo is added by a form and shown`() async throws {
    try await FileShop.open { files in
      let console = try await ConsoleFixture.open(files.shop, services: files.services)
      var browser = try await console.browser("admin")
      let path = console.at("/maintenance/machine/\(files.shop.machine.text)")
      try await browser.open(path)
      #expect(browser.page.text.contains("enctype=\"multipart/form-data\""))
      let photo = PhotoSample.located
      let page = try await browser.show(
        .post,
        path + "/files",
        .multipart([("kind", nil, Array("photo".utf8)), ("file", "pump; \"left\".jpg", photo)], part: 777),
        type: "multipart/form-data; boundary=----Border7MA4"
      )
      #expect(page.status == 200, "\(page.plain)")
      #expect(page.plain.contains("pump; \"left\".jpg"))
      let none = try await browser.show(
        .post,
        path + "/files",
        .multipart([("kind", nil, Array("photo".utf8)), ("file", "", [])], part: 64),
        type: "multipart/form-data; boundary=----Border7MA4"
      )
      #expect(none.status == 422)
    }
  }
}

extension APIBody {
  /// A form with files, as a browser sends it, which arrives in parts of this many bytes.
  static func multipart(_ fields: [(name: String, file: String?, bytes: [UInt8])], part: Int) -> APIBody {
    var bytes: [UInt8] = []
    for field in fields {
      let file =
        field.file.map { "; filename=\"\($0.replacing("\"", with: "%22"))\"\r\nContent-Type: image/jpeg" }
        ?? ""
      bytes += Array(
        "------Border7MA4\r\nContent-Disposition: form-data; name=\"\(field.name)\"\(file)\r\n\r\n".utf8
      )
      bytes += field.bytes + Array("\r\n".utf8)
    }
    bytes += Array("------Border7MA4--\r\n".utf8)
    let whole = bytes
    let stream = APIByteStream { continuation in
      for start in stride(from: 0, to: whole.count, by: part) {
        continuation.yield(Array(whole[start..<min(start + part, whole.count)]))
      }
      continuation.finish()
    }
    return .stream(stream, length: whole.count)
  }
}
