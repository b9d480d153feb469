package import EndToEndFixtures
internal import Foundation
internal import TestDatabase
internal import TestTools
internal import Testing
package import Values

/// A running Fettle with two companies and their people, to open in a browser: one for all suites of the process.
///
/// `fettle up` with its own PostgreSQL on a free port of 127.0.0.1. It ends with the process. Tests share its companies,
/// so each makes the records that it changes.
package struct BrowserShop: Sendable {
  /// The address of the server, without a slash at the end.
  package var base: String { "http://127.0.0.1:\(port)" }
  package let port: Int
  /// The shell of the operator, for commands about the companies.
  package let shell: Shell
  /// A workshop with people of every role, a machine and three entries.
  package let workshop: Company
  /// Another company, whose records are no business of the workshop's people.
  package let solvik: Company

  /// A company and its people.
  package struct Company: Sendable {
    package let slug: String
    package let name: String
    package let owner: Person
    /// An `admin`.
    package let dispatcher: Person
    /// A `user`.
    package let technician: Person
    package let viewer: Person

    package var people: [Person] { [owner, dispatcher, technician, viewer] }
  }

  /// A person with an account and a session in a browser.
  package struct Person: Sendable {
    package let name: String
    package let role: String
    package let email: String
    package let password: String
    /// The cookie of a session, for tests that are not about signing in: an account can sign in ten times in 15 minutes.
    package let cookie: Cookie
  }

  /// Returns the shop, and starts it at first use.
  package static func shared() async throws -> BrowserShop { try await running.value }

  /// Sends a request of the API in the name of a person, and returns the status of the answer.
  package func post(_ path: String, _ body: JSONObject, as person: Person) async throws -> Int {
    let fields = [
      "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin",
      "Cookie": "\(person.cookie.name)=\(person.cookie.value)",
    ]
    let bytes = Array(JSONValue.object(body).text.utf8)
    return try await Loopback.request("POST", path, port: port, fields: fields, body: bytes).status
  }

  /// Reads an answer of the API in the name of a person.
  package func get(_ path: String, as person: Person) async throws -> JSONValue {
    let fields = ["Cookie": "\(person.cookie.name)=\(person.cookie.value)"]
    let answer = try await Loopback.request("GET", path, port: port, fields: fields)
    return try JSONReader.read(answer.body, DocumentLimits(bytes: 16_000_000, nodes: 1_000_000))
  }

  /// Deletes something by the API in the name of a person, and returns the status of the answer.
  package func delete(_ path: String, as person: Person) async throws -> Int {
    let fields = ["Sec-Fetch-Site": "same-origin", "Cookie": "\(person.cookie.name)=\(person.cookie.value)"]
    return try await Loopback.request("DELETE", path, port: port, fields: fields).status
  }

  /// Makes another member of a company, for a test that signs in: an account can do so ten times in 15 minutes.
  package func member(_ name: String, role: String, of company: Company) async throws -> Person {
    let setting = Setting(shell: shell, port: port)
    return try await setting.member(name, role, company.slug)
  }

  /// Runs a command of the installation, and returns what it writes.
  package func fettle(_ arguments: String...) async throws -> String { try await fettle(arguments) }

  /// Runs a command of the installation, and returns what it writes.
  package func fettle(_ arguments: [String]) async throws -> String {
    try await shell.fettle(arguments: arguments).output
  }

  private static let running = Task { try await BrowserShop() }

  private init() async throws {
    let folder = try Leftovers.folderUntilExit()
    shell = Shell(
      folder: folder,
      environment: [
        "PATH": "/usr/bin:/bin", "FETTLE_HOME": "\(folder.path)/home", "FETTLE_COMPANY": "workshop",
      ]
    )
    port = try Loopback.freePort()
    let up = try shell.begin("up", "--no-demo", "--http", "127.0.0.1:\(port)")
    try await up.says("Fettle is up")
    let port = port
    try await until { await (try? Loopback.request("GET", "/readyz", port: port))?.status == 200 }
    let setting = Setting(shell: shell, port: port)
    workshop = try await setting.company(
      "workshop",
      "Workshop",
      ["Eva Lund", "Dan Berg", "Ana Ek", "Vera Holm"]
    )
    solvik = try await setting.company(
      "solvik",
      "Solvik",
      ["Olle Sund", "Disa Strand", "Tor Vik", "Vidar Ask"]
    )
    for company in [workshop, solvik] { try await setting.fill(company) }
  }
}

/// Makes the companies of a shop.
private struct Setting {
  let shell: Shell
  let port: Int

  private static let password = "a long sentence for a password"

  /// - Parameter names: of the owner, the dispatcher, the technician and the viewer.
  func company(_ slug: String, _ name: String, _ names: [String]) async throws -> BrowserShop.Company {
    let place: JSONValue = ["name": .string(name), "slug": .string(slug), "timezone": "Europe/Stockholm"]
    var people = [try await person(names[0], "owner", slug, ["company": place])]
    for (name, role) in zip(names.dropFirst(), ["admin", "user", "viewer"]) {
      people.append(try await member(name, role, slug))
    }
    return BrowserShop.Company(
      slug: slug,
      name: name,
      owner: people[0],
      dispatcher: people[1],
      technician: people[2],
      viewer: people[3]
    )
  }

  /// Invites a person, and signs them up.
  func member(_ name: String, _ role: String, _ slug: String) async throws -> BrowserShop.Person {
    let invite = try await shell.rows("invite", "create", "--role", role, "--company", slug)
    guard let code = invite.first?["code"] as? String else { throw Refused(said: "\(invite)") }
    return try await person(name, role, slug, ["code": .string(code)])
  }

  /// Signs a person up, to a new company or with a code.
  private func person(_ name: String, _ role: String, _ slug: String, _ place: JSONObject) async throws
    -> BrowserShop.Person
  {
    let handle = name.prefix { $0 != " " }.lowercased()
    let email = "\(handle)@\(slug).example"
    var body: JSONObject = [
      "name": .string(name), "email": .string(email), "password": .string(Self.password), "kind": "browser",
    ]
    for (key, value) in place.members { body[key] = value }
    let answer = try await Loopback.request(
      "POST",
      "/v1/auth/sign-up",
      port: port,
      // Twenty people can sign up from one address in an hour.
      from: .random(in: 2...250),
      fields: ["Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"],
      body: Array(JSONValue.object(body).text.utf8)
    )
    let pair = (answer.fields["set-cookie"] ?? "").prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
    guard answer.status == 201, pair.count == 2 else { throw Refused(said: answer.text) }
    let cookie = Cookie(String(pair[0]), String(pair[1]), isHTTPOnly: true)
    return BrowserShop.Person(name: name, role: role, email: email, password: Self.password, cookie: cookie)
  }

  /// Makes a machine and three entries; a new company has categories.
  func fill(_ company: BrowserShop.Company) async throws {
    let options = ["--company", company.slug, "--as", company.owner.email]
    let lines =
      [["machine", "add", "RM-001", "--name", "Road marker"]]
      + ["Hose leaks", "Belt slips", "Lamp is broken"].map {
        ["entry", "add", $0, "--machine", "RM-001", "--category", "Hydraulics"]
      }
    for line in lines {
      let outcome = try await shell.fettle(arguments: line + options)
      guard outcome.status == 0 else { throw Refused(said: outcome.errors) }
    }
  }

  /// Fettle has refused a part of the setting.
  private struct Refused: Error { let said: String }
}

extension Browser {
  /// Gives the browser the session of a person, and opens a path of the shop as them.
  package func open(_ path: String, of shop: BrowserShop, as person: BrowserShop.Person) async throws {
    // A cookie can be set only while a page of its site is open; this one needs no session.
    try await open("\(shop.base)/livez")
    try await removeCookies()
    try await set(person.cookie)
    try await open("\(shop.base)\(path)")
  }
}
