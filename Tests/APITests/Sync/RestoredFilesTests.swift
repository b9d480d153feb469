import API
import Domain
import Engine
import EngineFixtures
import FettleClient
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// Files of phones whose server was restored from a backup that has the file, and not its bytes.
@Suite(.timeLimit(.minutes(60))) struct RestoredFilesTests {
  private let api: APIFixture
  private let phone: ModelPhone
  private let record: UUID
  private let file: UUID
  private let photo = FileShop.fakePhoto(2_000)

  /// A phone that has sent a photo.
  init() async throws {
    // A new epoch concerns every device of a database, so the test has one of its own.
    let engine = try await EngineFixture.open(TestDatabase.make(), poolSize: 8)
    api = try await TestDevice.api(Workshop.open(in: engine))
    phone = try await .open(api, of: "user", seed: 1)
    record = UUID()
    let fields: [String: FieldValue] = [
      "machine_id": .string(api.shop.machine.text), "category_id": .string(api.shop.category.text),
      "description": "leaks",
    ]
    try await phone.client.make(SyncWorld.type, record, fields)
    file = try await phone.client.attach(SyncWorld.type, record, photo)
    #expect(await phone.sync() == nil)
    #expect(try await state() == "pending")
  }

  /// Forgets the bytes, as the restore of a backup from before their arrival does, and begins another epoch.
  private func restore() async throws {
    let (superuser, company) = (api.shop.engine.superuser, api.shop.company.id)
    try await superuser.execute(
      """
      update core.attachment
      set state = 'awaited', media_type = 'application/octet-stream', original_sha256 = null
      where company_id = \(company) and id = \(file)
      """
    )
    try await forgetUpload()
    _ = try await api.shop.engine.operators.database.value("select core.begin_epoch()", as: UUID.self)
  }

  private func forgetUpload() async throws {
    try await api.shop.engine.superuser.execute(
      "delete from core.upload where company_id = \(api.shop.company.id) and id = \(file)"
    )
  }

  private func state() async throws -> String {
    try await api.shop.engine.superuser.value(
      "select a.state from core.attachment a where a.company_id = \(api.shop.company.id) and a.id = \(file)",
      as: String.self
    )
  }

  /// Deletes the record, which the phone learns with the pull.
  private func delete() async throws {
    let answer = try await api.delete("/v1/maintenance/entry/\(record.text)", as: api.member("admin"))
    #expect(answer.status < 300, "\(answer.text)")
  }

  @Test(arguments: [false, true]) func `bytes are sent again, on whatever record they are`(isDeleted: Bool)
    async throws
  {
    if isDeleted { try await delete() }
    try await restore()
    #expect(await phone.sync() == nil)
    #expect(try await state() == "pending")
    try phone.remove()
  }

  @Test func `bytes of a record that the member may not read any more are sent again`() async throws {
    let (operators, context) = (api.shop.engine.operators, api.shop.operatorContext)
    _ = try await Roles(operators).define(
      context,
      name: "keeper",
      label: "Keeper",
      from: nil,
      permissions: ["maintenance.machine.read"]
    )
    _ = try await Members(operators).setRole(context, member: phone.member.email, role: "keeper")
    try await restore()
    #expect(await phone.sync() == nil)
    #expect(try await state() == "pending")
    try phone.remove()
  }

  @Test func `a synchronisation that breaks anywhere after a restore leaves its files to the next one`()
    async throws
  {
    try await delete()
    for requests in 1...6 {
      try await restore()
      phone.transport.strike(at: requests, after: .zero) { throw ClientError(.offline, "the line is cut") }
      _ = await phone.sync()
      _ = phone.transport.standDown()
      #expect(await phone.sync() == nil)
      #expect(try await state() == "pending", "after \(requests) requests")
    }
    try phone.remove()
  }

  @Test func `a file that was deleted stays deleted`() async throws {
    let answer = try await api.delete("/v1/files/\(file.text)", as: phone.caller)
    #expect(answer.status == 204, "\(answer.text)")
    try await forgetUpload()
    _ = try await api.shop.engine.operators.database.value("select core.begin_epoch()", as: UUID.self)
    for _ in 1...2 { #expect(await phone.sync() == nil) }
    #expect(try await phone.client.waiting.isEmpty)
    #expect(try await api.get("/v1/files/\(file.text)", as: phone.caller).json["deleted_at"] != nil)
    try phone.remove()
  }
}
