import API
import Domain
import Engine
import EngineFixtures
import FettleClient
import Foundation
import Postgres
import Secrets
import Store
import Testing

/// A phone whose visitor signs up, with the client library and the real sign-in.
@Suite(.timeLimit(.minutes(60))) struct VisitorPhoneTests {
  /// Sends the requests of the client library to the routes, with its tokens.
  private struct Sender: Transport {
    let api: APIFixture

    func send(_ request: Request) async throws -> Response {
      let answer = try await api.send(
        try #require(APIMethod(rawValue: request.method.rawValue)),
        request.target,
        request.body.isEmpty ? .none : .bytes(request.body),
        headers: request.headers.map { ($0.key, $0.value) }
      )
      return Response(status: answer.status, body: answer.bytes)
    }
  }

  private let word = "w\(UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(14))"
  private static let password = "correct horse battery"

  private func server() async throws -> APIFixture {
    let services = try await EngineFixture.shared().services
    let hasher = PasswordHasher(cost: 1, pool: ThreadPool(threads: 2, queueLimit: 64))
    let gate = SessionGate(services, uses: CredentialUses(services.database))
    return try await APIFixture.open(gate: gate) { services in
      let records = try await Records.open(services)
      return SignInRoutes(services, hasher: hasher, answers: SignInAnswers(services)).routes
        + RecordRoutes(services, records).routes
        + SyncRoutes(services, records, hub: HintHub(key: [])).routes
    }
  }

  @Test(arguments: [nil, "macros"])
  func `the phone goes on after the claim, with what it had waiting`(app: String?) async throws {
    let api = try await server()
    let folder = FileManager.default.temporaryDirectory.appending(path: "visitor-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let client = try Client(
      folder: folder,
      transport: Sender(api: api),
      configuration: FettleClient.Configuration(app: app, deviceName: "Phone")
    )
    #expect(try await client.signIn(.visitor(timeZone: "Asia/Tokyo")) == .signedIn)
    let meal: [String: FieldValue] = ["protein_g": .integer(30), "note": "soup"]
    let known = try await client.create("macros.entry", meal)
    try await client.sync()
    let device = try await client.device
    // Without a network: a change of a record that the server has, and a new record.
    try await client.patch("macros.entry", known, ["note": "soup with bread"])
    let waiting = try await client.create("macros.entry", ["fat_g": .integer(5), "note": "nuts"])

    let account = SignIn.newAccount(email: "\(word)@phones.example", name: "Vi", password: Self.password)
    #expect(try await client.signIn(account) == .signedIn)
    #expect(try await client.device == device)
    #expect(try await client.unsynced == 2)
    try await client.sync()
    #expect(try await client.unsynced == 0)
    let notes = try await client.records("macros.entry").all().compactMap { $0.fields["note"]?.string }
    #expect(notes.sorted() == ["nuts", "soup with bread"])

    let owners = try await api.shop.engine.superuser.rows(
      """
      select u.email from macros.entry e join core.app_user u on u.id = e.created_by
      where e.id = any (\([known, waiting])) and e.deleted_at is null
      """,
      String.self
    )
    #expect(owners == Array(repeating: "\(word)@phones.example", count: 2))
  }

  @Test func `a sign-in to an account of before takes the visitor's company over too`() async throws {
    let api = try await server()
    let folder = FileManager.default.temporaryDirectory.appending(path: "visitor-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let client = try Client(
      folder: folder,
      transport: Sender(api: api),
      configuration: FettleClient.Configuration(app: "macros", deviceName: "Phone")
    )
    _ = try await client.signIn(.visitor())
    _ = try await client.create("macros.entry", ["fat_g": .integer(5), "note": "nuts"])
    let other: JSONObject = [
      "email": .string("\(word)@other.example"), "name": "Bo", "password": .string(Self.password),
      "company": ["name": .string("Other \(word)")],
    ]
    #expect(try await api.post("/v1/auth/sign-up", other).status == 201)
    #expect(
      try await client.signIn(.password(email: "\(word)@other.example", password: Self.password)) == .signedIn
    )
    #expect(try await client.unsynced == 1)
    try await client.sync()
    #expect(try await client.unsynced == 0)
  }
}
