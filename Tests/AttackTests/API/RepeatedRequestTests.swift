import API
import Apps
import Domain
import Engine
import EngineFixtures
import Files
import FoundationEssentials
import Postgres
import Secrets
import Store
import Testing

/// Every POST route that creates something, sent twice with one idempotency key.
@Suite(.timeLimit(.minutes(60))) struct RepeatedRequestTests {
  /// The owner of the workshop, as signed in.
  private struct OwnerGate: CallerGate {
    let shop: Workshop

    func caller(of request: APIRequest) async throws -> Caller? {
      guard request.headers["x-anonymous"] == nil, let owner = shop.members["owner"] else { return nil }
      let acting = ActingContext(
        company: shop.company,
        actor: .member(owner.userID),
        user: owner.userID,
        requestID: request.id
      )
      return Caller(kind: .browser, acting: acting, user: owner.userID, session: UUID(), isStrong: true)
    }
  }

  private struct Server {
    let shop: Workshop
    let api: API
    let routes: [Route]
    let document: JSONObject
    /// The values of placeholders.
    var values: [String: String]

    func send(_ route: Route, _ body: JSONObject, key: String) async -> (
      status: Int, body: String, isReplay: Bool
    ) {
      let path = route.pattern.split(separator: "/").map { part in
        part.hasPrefix("{") ? values[String(part.dropFirst().dropLast())] ?? "x" : String(part)
      }
      let request = APIRequest(
        method: route.method,
        path: "/" + path.joined(separator: "/"),
        headers: [
          "content-type": "application/json", "sec-fetch-site": "same-origin", "idempotency-key": key,
        ],
        body: route.body == .none ? .none : .bytes(Array(JSONValue.object(body).text.utf8)),
        id: UUID(),
        address: "192.0.2.1",
        origin: "https://fettle.example"
      )
      let answer = await api.answer(request, of: route, parameters: values)
      var text = ""
      if case .bytes(let bytes) = answer.body { text = String(decoding: bytes, as: UTF8.self) }
      return (answer.status, text, answer.headers["idempotency-replayed"] == "true")
    }

    /// The number of rows of the company and of people, by table.
    func counts() async throws -> [String: Int] {
      let tables = [
        "core.invite", "core.api_token", "core.webhook", "core.role", "core.company", "core.app_user",
        "core.session", "core.job_queued", "trips.plan_share", "core.attachment", "core.upload",
        "core.membership", "core.audit",
      ]
      var counts: [String: Int] = [:]
      for table in tables {
        let name = table.split(separator: ".").map(String.init)
        counts[table] = try await shop.engine.superuser.value(
          "select count(*) from \(identifier: name[0], name[1])",
          as: Int.self
        )
      }
      return counts
    }
  }

  private static func open() async throws -> Server {
    // A database of its own: the test counts all rows.
    let engine = try await TrialApp.engine()
    let shop = try await Workshop.open(in: engine)
    let routes = try await ServedRoutes.all(engine.services)
    let types = try await engine.services.catalogue.refresh(engine.services.database).0.types
    let owner = shop.acting("owner")
    let plan = try await shop.records.create(owner, type: "trips.plan", fields: ["title": "Lofoten"])
    _ = try await shop.records.create(owner, type: "solar.site", fields: ["name": "Roof"])
    return Server(
      shop: shop,
      api: API(routes: routes, gate: OwnerGate(shop: shop), kept: KeptAnswers(engine.services)),
      routes: routes,
      document: Document(routes, types: types).json,
      values: [
        "schedule": "history.seal", "member": shop.members["viewer"]?.userID.text ?? "", "plan": plan.id.text,
      ]
    )
  }

  /// The requests that create, by operation. Those of records and comments have tests of their own, a device has its id
  /// from the client; the demo, an identity, a factor and a file need more than a request; a nonce is tried below.
  private static let requests: [String: JSONObject] = [
    "createInvite": ["role": "user"],
    "createRole": ["role": "foreman", "permissions": ["maintenance.entry.read"]],
    "createOwnToken": ["name": "ci", "scopes": ["maintenance.entry.read"]],
    "createWebhook": ["url": "https://receiver.example/x", "events": ["maintenance.entry.created"]],
    "addOwnCompany": ["name": "Second", "slug": "second-company"],
    "signUp": [
      "email": "vera@repeated.example", "name": "Vera", "password": "a long sentence for a password",
      "company": ["name": "Third", "slug": "third-company"],
    ],
    "becomeVisitor": ["timezone": "Asia/Kolkata"],
    "createShare": ["level": "read"],
  ]
  private static let others: Set = [
    "createRecord", "commentRecord", "registerDevice", "enterDemo", "linkIdentity", "createUpload",
    "createFile", "createNonce", "beginSecondFactor", "linkFile",
    // A repeated recording is recognised by its values.
    "record",
  ]

  @Test func `a request that creates, sent twice with one key, makes one thing and gets one answer`()
    async throws
  {
    let server = try await Self.open()
    var untried = Set(
      server.routes.filter { $0.method == .post && $0.operation.answers.contains { $0.status == 201 } }
        .map(\.operation.id)
    )
    untried.subtract(Self.others)
    for (operation, body) in Self.requests.sorted(by: { $0.key < $1.key }) {
      let route = try #require(server.routes.first { $0.operation.id == operation }, "\(operation)")
      untried.remove(operation)
      let key = UUID().uuidString
      let before = try await server.counts()
      let first = await server.send(route, body, key: key)
      #expect((200..<300).contains(first.status) && !first.isReplay, "\(operation): \(first)")
      let between = try await server.counts()
      #expect(before != between, "\(operation) creates nothing")
      let second = await server.send(route, body, key: key)
      #expect(second.status == first.status && second.body == first.body, "\(operation): \(second)")
      #expect(second.isReplay, "\(operation)")
      #expect(try await server.counts() == between, "\(operation)")
      var other = body
      other["name"] = "Another"
      other["role"] = body["role"].map { _ in "viewer" }
      let conflict = await server.send(route, other, key: key)
      #expect(conflict.status == 409 || conflict.status == 422, "\(operation): \(conflict)")
      #expect(try await server.counts() == between, "\(operation)")
    }
    #expect(untried == [], "these operations create something, and are not tried")
    await server.shop.engine.close()
  }

  @Test func `every other POST that succeeds gets the same answer again`() async throws {
    let server = try await Self.open()
    var succeeded: [String] = []
    for route in server.routes where route.keepsAnswer && Self.requests[route.operation.id] == nil {
      var body: JSONObject = [:]
      if let schema = route.operation.request {
        let sample = SchemaSample(root: server.document, id: UUID().uuidString.lowercased())
        body = sample.value(schema.json(for: .request)).object ?? [:]
      }
      let key = UUID().uuidString
      let first = await server.send(route, body, key: key)
      guard (200..<300).contains(first.status) else { continue }
      let before = try await server.counts()
      let second = await server.send(route, body, key: key)
      #expect(second.status == first.status && second.body == first.body, "\(route.operation.id): \(second)")
      #expect(second.isReplay, "\(route.operation.id)")
      #expect(try await server.counts() == before, "\(route.operation.id)")
      succeeded.append(route.operation.id)
    }
    print("POST routes beyond those that create: \(succeeded.count) \(succeeded)")
    #expect(Set(succeeded).isSuperset(of: ["createNonce", "suspendMember"]))
    await server.shop.engine.close()
  }

  @Test func `a request that ends something, sent twice with one key, gets the first answer`() async throws {
    var server = try await Self.open()
    let operators = server.shop.engine.operators
    let acting = server.shop.acting("owner")
    let invite = try await Invites(operators).create(acting, role: "user")
    let webhook = try await WebhookAdministration(operators)
      .add(
        acting,
        url: "https://receiver.example/y",
        events: ["maintenance.entry.created"],
        fault: { _ in nil }
      )
    _ = try await Roles(operators).define(acting, name: "foreman", permissions: ["maintenance.entry.read"])
    let token = try await Tokens(operators)
      .create(acting, owner: nil, name: "ci", scopes: ["maintenance.entry.read"], days: nil)
    server.values["invite"] = invite.id.text
    server.values["webhook"] = webhook.id.text
    server.values["role"] = "foreman"
    server.values["token"] = token.id.text
    let requests: [(operation: String, body: JSONObject)] = [
      ("changeMember", ["role": "admin"]), ("changeWebhook", ["active": false]),
      ("changeRole", ["permissions": ["maintenance.entry.read", "report.read"]]), ("revokeInvite", [:]),
      ("revokeOwnToken", [:]), ("removeWebhook", [:]), ("deleteRole", [:]), ("removeMember", [:]),
    ]
    var done: [(route: Route, body: JSONObject, key: String, status: Int, text: String)] = []
    for (operation, body) in requests {
      let route = try #require(server.routes.first { $0.operation.id == operation }, "\(operation)")
      let key = UUID().uuidString
      let first = await server.send(route, body, key: key)
      #expect((200..<300).contains(first.status) && !first.isReplay, "\(operation): \(first)")
      done.append((route, body, key, first.status, first.body))
    }
    let before = try await server.counts()
    // Nothing that the requests name is there any more.
    for (route, body, key, status, text) in done {
      let again = await server.send(route, body, key: key)
      #expect(again.status == status && again.body == text, "\(route.operation.id): \(again)")
      #expect(again.isReplay, "\(route.operation.id)")
    }
    #expect(try await server.counts() == before)
    let open = server.routes.filter { route in
      route.face == .api && !route.method.isSafe && !route.keepsAnswer
        && !route.operation.parameters.contains { $0.name == "Idempotency-Key" }
    }
    // Devices number their changes, parts of files have an offset, and a refresh token its generation.
    #expect(
      open.allSatisfy {
        ["sync", "uploads"].contains($0.operation.tag)
          || ["refreshSession", "signOut"].contains($0.operation.id)
      },
      "\(open.map { $0.operation.id })"
    )
    await server.shop.engine.close()
  }

  @Test func `two requests at the same time with one key make one thing`() async throws {
    let server = try await Self.open()
    let route = try #require(server.routes.first { $0.operation.id == "createInvite" })
    let key = UUID().uuidString
    let answers = await withTaskGroup(of: String.self) { group in
      for _ in 0..<4 { group.addTask { await server.send(route, ["role": "user"], key: key).body } }
      return await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(answers.count == 1, "\(answers)")
    let invites = try await server.shop.engine.superuser.value(
      "select count(*) from core.invite",
      as: Int.self
    )
    #expect(invites == 1)
    await server.shop.engine.close()
  }

  @Test func `a kept answer is not readable in the database, and belongs to its actor`() async throws {
    let server = try await Self.open()
    let route = try #require(server.routes.first { $0.operation.id == "createInvite" })
    let first = await server.send(route, ["role": "user"], key: "k")
    let code = try #require(try JSONValue(parsing: first.body).object?["code"]?.string)
    let stored = try await server.shop.engine.superuser.rows(
      "select i.answer::text from core.idempotency i",
      String.self
    )
    #expect(!stored.isEmpty && stored.allSatisfy { !$0.contains(code) })
    // Without a credential, only a key that nobody can guess is one.
    let visitor = try #require(server.routes.first { $0.operation.id == "becomeVisitor" })
    #expect(await server.send(visitor, [:], key: "k").status == 422)
  }
}
