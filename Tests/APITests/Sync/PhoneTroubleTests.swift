import BrowserFixtures
import Domain
import Engine
import EngineFixtures
import FettleClient
import FoundationEssentials
import Postgres
import Secrets
import Store
import SyncProtocol
import TestDatabase
import Testing

/// What goes wrong around a phone, with the client library and with the field app's own core in a browser.
@Suite(.timeLimit(.minutes(60)), .serialized) struct PhoneTroubleTests {
  enum Kind: CaseIterable {
    case library, fieldApp
  }

  /// A company with an entry, and a member who has a phone.
  private struct Shop {
    let api: APIFixture
    let caller: TestCaller
    let transport: HandlerTransport
    let service: SyncWorld.Service
    let entry: UUID

    static func open(in engine: EngineFixture? = nil) async throws -> Shop {
      let workshop = try await Workshop.open(roles: ["admin", "user"], in: engine)
      let service = SyncWorld.Service()
      let services = try service.services(of: workshop.engine.services)
      let api = try await TestDevice.api(workshop, services: services)
      let caller = try api.member("user")
      let entry = try await api.shop.entry("user")
      let transport = HandlerTransport(api, as: caller)
      return Shop(api: api, caller: caller, transport: transport, service: service, entry: entry)
    }

    /// Runs a body with a new phone of the member.
    func withPhone(_ kind: Kind, _ body: (any PhoneClient) async throws -> Void) async throws {
      switch kind {
      case .library:
        let folder = FileManager.default.temporaryDirectory.appending(
          path: "fettle-trouble-\(UUID().uuidString)"
        ).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(TestDevice.client(transport, folder: folder))
      case .fieldApp:
        try await Browser.open { browser in
          let phone = try await BrowserPhone.open(browser, transport, of: caller.user)
          defer { phone.stop() }
          try await body(phone)
        }
      }
    }

    func setRole(_ role: String) async throws {
      let member = try #require(api.shop.members["user"]).email
      let members = Members(api.shop.engine.operators)
      _ = try await members.setRole(api.shop.operatorContext, member: member, role: role)
    }

    /// The columns of a new entry.
    func columns(_ description: String) -> JSONObject {
      [
        "machine_id": .string(api.shop.machine.text), "category_id": .string(api.shop.category.text),
        "description": .string(description),
      ]
    }

    func digest(of file: UUID) async throws -> [UInt8]? {
      try await api.shop.engine.superuser.rows(
        "select a.original_sha256 from core.attachment a where a.id = \(file)",
        [UInt8].self
      ).first
    }

    func reference(of entry: UUID) async throws -> String? {
      try await api.get("/v1/maintenance/entry/\(entry.text)", as: caller).json["external_ref"]?.string
    }
  }

  /// Two phones send changes under one device id, because the store of one was copied.
  @Test(arguments: Kind.allCases)
  func `what was written on a copied store is applied in the order in which it was written`(kind: Kind)
    async throws
  {
    let shop = try await Shop.open()
    try await shop.withPhone(kind) { copy in
      let type = SyncWorld.type
      try await copy.synchronise()
      let old = try await copy.device
      // A change that is refused, and a later one of the same record, which waits for a decision.
      try await shop.setRole("viewer")
      try await copy.edit(type, shop.entry, ["external_ref": "first"])
      try await copy.synchronise()
      #expect(try await copy.failed.map(\.code) == ["forbidden"])
      try await copy.edit(type, shop.entry, ["external_ref": "second"])
      try await shop.setRole("user")
      // The other phone uses the number that a new record has here, and goes on.
      var other = TestDevice(api: shop.api, caller: shop.caller, id: old)
      let changes = (0..<6).map {
        other.change(type, UUID(), "create", ["fields": .object(shop.columns("other \($0)"))])
      }
      #expect(
        try await other.push(Array(changes.dropFirst(2))).kinds == Array(repeating: "applied", count: 4)
      )
      let made = UUID()
      let columns = shop.columns("of the copy").members.map {
        ($0.key, FieldValue.string($0.value.string ?? ""))
      }
      try await copy.make(type, made, Dictionary(columns) { first, _ in first })
      for word in ["one", "two", "three"] { try await copy.edit(type, made, ["external_ref": .string(word)]) }
      let photo = FileShop.fakePhoto(700, seed: 7)
      let file = try await copy.attach(type, made, photo)
      for _ in 0..<4 { try? await copy.synchronise() }
      #expect(try await copy.device != old)
      #expect(try await shop.reference(of: made) == "three")
      #expect(try await shop.digest(of: file) == SHA256.hash(photo))
      // What waits for a person still does, and the later change of its record with it.
      #expect(try await shop.reference(of: shop.entry) == nil)
      let refused = try #require(try await copy.failed.first)
      #expect(refused.id.device == old)
      #expect(try await copy.unsynced == 2)
      try await copy.retry(refused.id)
      for _ in 0..<2 { try await copy.synchronise() }
      #expect(try await shop.reference(of: shop.entry) == "second")
      #expect(try await copy.unsynced == 0)
      // Nothing is left to decide on the server either.
      let status = try await shop.api.get("/v1/sync/status", as: shop.caller)
      #expect(status.json["items"]?.array?.isEmpty == true, "\(status.text)")
    }
  }

  @Test(arguments: Kind.allCases)
  func `a decision that cannot be judged now keeps nothing else from being sent`(kind: Kind) async throws {
    let shop = try await Shop.open()
    let (type, other) = (SyncWorld.type, try await shop.api.shop.entry("user"))
    try await shop.withPhone(kind) { phone in
      try await phone.synchronise()
      let path = "/v1/maintenance/entry/\(shop.entry.text)"
      #expect(try await shop.api.patch(path, ["external_ref": "office"], as: shop.caller).status == 200)
      try await phone.edit(type, shop.entry, ["external_ref": "phone"])
      try await phone.synchronise()
      let conflict = try #require(try await phone.conflicts.first)
      try await phone.resolve(conflict.id, taking: .mine)
      shop.service.set(busy: true)
      try await phone.move(type, other, "start")
      try await phone.synchronise()
      #expect(try await phone.changes.map(\.status) == [.conflict, .synced])
      shop.service.set(busy: false)
      try await phone.synchronise()
      #expect(try await shop.reference(of: shop.entry) == "phone")
      #expect(try await phone.unsynced == 0)
    }
  }

  @Test(arguments: Kind.allCases)
  func `what a person gave up before a restore of the server is not sent after it`(kind: Kind) async throws {
    // A new epoch concerns every device of a database, so the test has one of its own.
    let shop = try await Shop.open(in: .open(TestDatabase.make(), poolSize: 8))
    try await shop.withPhone(kind) { phone in
      try await phone.synchronise()
      try await shop.setRole("viewer")
      try await phone.edit(SyncWorld.type, shop.entry, ["external_ref": "given up"])
      try await phone.synchronise()
      let refused = try #require(try await phone.failed.first)
      // The server does not hear of the decision before it is restored to a time when the change was allowed.
      try await phone.resolve(refused.id, taking: .discard)
      try await shop.setRole("user")
      let (engine, company) = (shop.api.shop.engine, shop.api.shop.company.id)
      try await engine.superuser.execute("delete from core.sync_item where company_id = \(company)")
      _ = try await engine.operators.database.value("select core.begin_epoch()", as: UUID.self)
      for _ in 0..<2 { try await phone.synchronise() }
      #expect(try await shop.reference(of: shop.entry) == nil)
      #expect(try await phone.unsynced == 0)
    }
  }
}
