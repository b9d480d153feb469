import API
import Domain
import Engine
import FettleClient
import FoundationEssentials
import Store
import Synchronization
import Testing

/// Calls the handlers of the API for the client library, without sockets.
///
/// The sign-in is the transport's own, so that a test does not wait for a password hash: every request is one of
/// `caller`. After ``end()`` the session has ended, and requests are answered with 401.
final class HandlerTransport: Transport {
  private let api: Mutex<APIFixture>
  private let caller: TestCaller
  private let isEnded = Mutex(false)

  init(_ api: APIFixture, as caller: TestCaller) {
    self.api = Mutex(api)
    self.caller = caller
  }

  /// Ends the session, or allows a new one.
  func end(_ isEnded: Bool = true) { self.isEnded.withLock { $0 = isEnded } }

  /// Calls the handlers of another server from now on.
  func use(_ api: APIFixture) { self.api.withLock { $0 = api } }

  func send(_ request: Request) async throws -> Response {
    if isEnded.withLock({ $0 }) {
      return Response(status: 401, body: Array(#"{"code":"session_expired","status":401}"#.utf8))
    }
    if request.target == "/v1/auth/sign-in" { return session }
    let method = try #require(APIMethod(rawValue: request.method.rawValue))
    let answer = try await api.withLock(\.self).send(
      method,
      request.target,
      request.body.isEmpty ? .none : .bytes(request.body),
      as: caller,
      headers: request.headers.filter { $0.key != "authorization" }.map { ($0.key, $0.value) }
    )
    let fields = answer.headers.fields.map { ($0.name, $0.value) }
    return Response(
      status: answer.status,
      headers: Dictionary(fields) { first, _ in first },
      body: answer.bytes
    )
  }

  private var session: Response {
    let company = caller.acting.company
    let body: JSONObject = [
      "session": .string(UUID().text), "user": .string(caller.user.text), "kind": "mobile",
      "company": ["slug": .string(company.slug), "name": .string(company.name)], "expires_in": 1_000_000_000,
      "token_type": "Bearer", "access_token": "of a test", "refresh_token": "of a test",
    ]
    return Response(status: 200, body: Array(JSONValue.object(body).text.utf8))
  }
}

extension TestDevice {
  /// Opens the client library on a device of a member, signed in.
  static func client(
    _ transport: any Transport,
    folder: String,
    app: String? = "maintenance",
    doneDays: Int? = nil
  ) async throws -> Client {
    let client = try Client(
      folder: folder,
      transport: transport,
      configuration: FettleClient.Configuration(
        app: app,
        deviceName: "Phone",
        doneDays: doneDays,
        pageSize: 7
      )
    )
    if await !client.isSignedIn {
      _ = try await client.signIn(.password(email: "a@b.example", password: "c"))
    }
    return client
  }
}
