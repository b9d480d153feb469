import FettleClient
import FoundationEssentials
import Synchronization
import Testing

/// A client with a store of its own and a scripted server.
final class TestPhone: Sendable {
  static let type = "maintenance.entry"

  let transport = ScriptedTransport()
  let folder: String
  private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

  /// Opens a signed-in client.
  static func open() async throws -> (phone: TestPhone, client: Client) {
    let phone = TestPhone()
    let client = try phone.client()
    #expect(try await client.signIn(.password(email: "a@b.example", password: "c")) == .signedIn)
    return (phone, client)
  }

  init() {
    folder = FileManager.default.temporaryDirectory.appending(path: "fettle-client-\(UUID().uuidString)").path
  }

  // A rest in the temporary folder is harmless.
  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Opens the store, as after a restart of the app.
  func client() throws -> Client {
    try Client(
      folder: folder,
      transport: transport,
      configuration: Configuration(
        app: "maintenance",
        deviceName: "Phone",
        now: { [weak self] in self?.time.withLock(\.self) ?? Date() },
        sleep: { _ in await Task.yield() }
      )
    )
  }

  /// Lets time pass.
  func wait(_ seconds: Double) { time.withLock { $0.addTimeInterval(seconds) } }

  /// A record in a page.
  static func put(
    _ id: UUID,
    version: Int64,
    _ fields: [String: FieldValue],
    seq: Int64 = 1,
    scope: String? = nil
  )
    -> FieldValue
  {
    var members: [String: FieldValue] = [
      "seq": .integer(seq), "type": .string(type), "id": .string(text(id)), "op": "put",
      "version": .integer(version), "fields": .object(fields),
    ]
    if let scope { members["scope"] = .string(scope) }
    return .object(members)
  }

  static func text(_ id: UUID) -> String { id.uuidString.lowercased() }

  /// Gives the client a record of the server.
  static func pull(_ client: Client, _ phone: TestPhone, _ changes: [FieldValue], cursor: String = "c1")
    async throws
  {
    phone.transport.next("/v1/sync/changes", ScriptedTransport.page(changes, cursor: cursor))
    try await client.sync()
  }
}
