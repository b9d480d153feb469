import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Secrets
import Store
import Testing

/// The routes of files, uploads and links.
@Suite(.timeLimit(.minutes(60))) struct FileRouteTests {
  private static func open(_ body: (APIFixture, FileShop) async throws -> Void) async throws {
    try await FileShop.open { files in
      let api = try await APIFixture.open(files.shop, services: files.services) { services in
        FileRoutes(services, files.records, now: { 1_000 }).routes
      }
      try await body(api, files)
    }
  }

  private static func path(_ files: FileShop) -> String {
    "/v1/maintenance/machine/\(files.shop.machine.text)/files"
  }

  /// Announces a photo and sends its bytes.
  private static func photo(
    _ api: APIFixture,
    _ files: FileShop,
    _ bytes: [UInt8] = FileShop.fakePhoto(5_000),
    name: String = "pump.jpg"
  ) async throws -> String {
    let made = try await api.post(
      path(files),
      ["kind": "photo", "name": .string(name), "size": .integer(bytes.count)],
      as: api.member("admin")
    )
    #expect(made.status == 201)
    let location = try #require(made.headers["location"])
    let sent = try await api.send(.put, location, body(bytes), as: api.member("admin"))
    #expect(sent.status == 200 && sent.json["state"] == "pending")
    return location
  }

  private static func body(_ bytes: [UInt8], length: Int? = nil) -> APIBody {
    .stream(FileShop.parts(bytes), length: length ?? bytes.count)
  }

  @Test func `a photo is announced, sent, listed, downloaded and deleted`() async throws {
    try await Self.open { api, files in
      let location = try await Self.photo(api, files)
      let list = try await api.get(Self.path(files), as: api.member("viewer"))
      #expect(list.status == 200 && list.items.count == 1)
      let company = files.shop.company.id.text
      let name = location.split(separator: "/").last ?? ""
      #expect(
        list.items[0]["path"]?.string
          == "companies/\(company)/maintenance/\(files.shop.machine.text)/\(name).jpg"
      )
      let bytes = try await api.get("\(location)/content", as: api.member("admin"))
      #expect(bytes.status == 200 && bytes.bytes == FileShop.fakePhoto(5_000))
      #expect(bytes.headers["x-content-type-options"] == "nosniff")
      #expect(bytes.headers["content-security-policy"]?.hasPrefix("sandbox") == true)
      #expect(bytes.headers["content-security-policy"]?.hasSuffix("frame-ancestors 'none'") == true)
      let gone = try await api.delete(location, as: api.member("admin"))
      #expect(gone.status == 204)
      #expect(try await api.get("\(location)/content", as: api.member("admin")).status == 404)
      #expect(try await api.post("\(location)/restore", as: api.member("admin")).status == 200)
    }
  }

  @Test func `2 MiB are accepted, one byte more is 413 and leaves nothing on the disk`() async throws {
    try await Self.open { api, files in
      _ = try await Self.photo(api, files, FileShop.fakePhoto(2_097_152))
      let before = files.stored
      let declared = try await api.post(
        Self.path(files),
        ["kind": "photo", "name": "a.jpg", "size": 2_097_153],
        as: api.member("admin")
      )
      #expect(declared.status == 413)
      let made = try await api.post(
        Self.path(files),
        ["kind": "photo", "name": "a.jpg"],
        as: api.member("admin")
      )
      let location = try #require(made.headers["location"])
      let large = FileShop.fakePhoto(2_097_153)
      for body in [Self.body(large), .stream(FileShop.parts(large), length: nil)] {
        #expect(try await api.send(.put, location, body, as: api.member("admin")).status == 413)
      }
      #expect(files.stored == before)
    }
  }

  @Test func `HTML as a photo is 415, a wrong digest is 422`() async throws {
    try await Self.open { api, files in
      let made = try await api.post(
        Self.path(files),
        ["kind": "photo", "name": "a.jpg"],
        as: api.member("admin")
      )
      let location = try #require(made.headers["location"])
      let html = Array("<html><script>alert(1)</script></html>".utf8)
      #expect(try await api.send(.put, location, Self.body(html), as: api.member("admin")).status == 415)
      let digest = Base64.encode(SHA256.hash("other"))
      let wrong = try await api.send(
        .put,
        location,
        Self.body(FileShop.fakePhoto(10)),
        as: api.member("admin"),
        headers: [("content-digest", "sha-256=:\(digest):")]
      )
      #expect(wrong.status == 422)
      #expect(files.stored.isEmpty)
    }
  }

  @Test func `ranges, conditions and odd ranges are answered as RFC 9110 says`() async throws {
    try await Self.open { api, files in
      let location = try await Self.photo(api, files)
      let bytes = FileShop.fakePhoto(5_000)
      let whole = try await api.get("\(location)/content", as: api.member("admin"))
      let tag = try #require(whole.headers["etag"])
      func get(_ fields: (name: String, value: String)...) async throws -> TestAnswer {
        try await api.get("\(location)/content", as: api.member("admin"), headers: fields)
      }
      #expect(try await get(("if-none-match", tag)).status == 304)
      let part = try await get(("range", "bytes=10-19"))
      #expect(part.status == 206 && part.bytes == Array(bytes[10..<20]))
      #expect(part.headers["content-range"] == "bytes 10-19/5000")
      #expect(try await get(("range", "bytes=-5")).bytes == Array(bytes.suffix(5)))
      #expect(try await get(("range", "bytes=4990-")).bytes == Array(bytes.suffix(10)))
      #expect(try await get(("range", "bytes=4990-99999999999")).bytes == Array(bytes.suffix(10)))
      #expect(try await get(("range", "bytes=5000-")).status == 416)
      #expect(try await get(("range", "bytes=-0")).status == 416)
      for text in [
        "bytes=5-2", "bytes=a-b", "bytes=0-1,3-4", "lines=1-2", "bytes=-", "bytes=99999999999999999999-",
      ] {
        #expect(try await get(("range", text)).status == 200, "\(text)")
      }
      #expect(try await get(("range", "bytes=0-1"), ("if-range", "\"other\"")).status == 200)
    }
  }

  @Test func `a name cannot leave its place in the header`() async throws {
    try await Self.open { api, files in
      let location = try await Self.photo(api, files, name: "a\"; filename=x.html;\r\nSet-Cookie: å.jpg")
      let answer = try await api.get("\(location)/content", as: api.member("admin"))
      let field = try #require(answer.headers["content-disposition"])
      #expect(!field.contains("\r") && !field.contains("\n"))
      #expect(field.split(separator: "\"").count == 3 && field.contains("filename*=UTF-8''a%22%3B"))
    }
  }

  @Test func `a file of another company looks like one that does not exist`() async throws {
    try await Self.open { api, files in
      let location = try await Self.photo(api, files)
      let other = try await APIFixture.open(services: files.services) { services in
        FileRoutes(services, files.records).routes
      }
      let random = "/v1/files/\(UUID().text)"
      for end in ["", "/content"] {
        let theirs = try await other.get(location + end, as: other.member("admin"))
        let none = try await other.get(random + end, as: other.member("admin"))
        #expect(theirs.status == 404 && theirs.problem == none.problem)
      }
      for method in [APIMethod.put, .delete] {
        let body: APIBody = method == .put ? Self.body([1]) : .none
        let theirs = try await other.send(method, location, body, as: other.member("admin"))
        let none = try await other.send(method, random, body, as: other.member("admin"))
        #expect(theirs.status == 404 && theirs.problem == none.problem)
      }
      #expect(try await api.send(.get, location).status == 401)
    }
  }

  @Test func `a link downloads without a credential, and is 410 later`() async throws {
    try await FileShop.open { files in
      let clock = TestClock()
      let api = try await APIFixture.open(files.shop, services: files.services) { services in
        FileRoutes(services, files.records, now: { clock.now }).routes
      }
      let admin = try api.member("admin")
      let item = try await files.records.create(
        files.shop.acting("admin"),
        type: "inventory.item",
        fields: ["name": "Drill", "category": "Tools", "purchase_date": "2026-01-05"]
      )
      let made = try await api.post(
        "/v1/inventory/item/\(item.id.text)/files",
        ["kind": "receipt", "name": "receipt.pdf"],
        as: admin
      )
      let location = try #require(made.headers["location"])
      let pdf = Array("%PDF-1.7\n%%EOF\n".utf8)
      #expect(try await api.send(.put, location, Self.body(pdf), as: admin).status == 200)
      let id = try #require(location.split(separator: "/").last.flatMap { UUID(uuidString: String($0)) })
      _ = try await files.prepare(id)
      let link = try await api.post("\(location)/link", ["seconds": 60], as: admin)
      #expect(link.status == 201)
      let url = try #require(link.json["url"]?.string)
      let path = String(url.dropFirst(APIFixture.origin.count))
      let answer = try await api.get(path)
      #expect(answer.status == 200 && answer.bytes == pdf)
      #expect(answer.headers["content-disposition"]?.hasPrefix("attachment") == true)
      clock.advance(60)
      let late = try await api.get(path)
      #expect(late.status == 410 && late.code == .linkExpired)
      #expect(try await api.get("/v1/links/AAAA").status == 404)
    }
  }
}
