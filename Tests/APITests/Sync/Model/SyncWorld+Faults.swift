import Domain
import Engine
import EngineFixtures
import FettleClient
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import TestTools

/// Killed and restored servers, copied phones, and phones that are not seen for half a year.
extension SyncWorld {
  /// What a restore brings back, beside the database.
  struct Backup {
    let direct: Int
    let deletions: Set<String>
    let roles: Set<String>
    let forgotten: Set<Judgement>
    let isOut: Bool
  }

  /// Kills PostgreSQL while a phone synchronises, and starts it again.
  mutating func crash(_ index: Int, _ generator: inout SeededRandom) async throws {
    guard let server else { return }
    let transport = phones[index].transport
    transport.strike(
      at: Int.random(in: 1...3, using: &generator),
      after: .microseconds(Int.random(in: 0...9_000, using: &generator))
    ) {
      try server.kill()
    }
    if let problem = await phones[index].sync(faults: 10) { problems.append(problem) }
    // The synchronisation may have ended without that many requests.
    if transport.standDown() { try server.kill() }
    try await server.restart()
    try await moveIn()
    // A minute passes, after which no upload belongs to a request of the killed server.
    try await api.shop.engine.superuser.execute(
      "update core.upload set writing_until = null where writing_until is not null"
    )
    if Bool.random(using: &generator), !phones[index].isOut { try await phones[index].reopen() }
  }

  /// Copies the database.
  mutating func backUp() async throws {
    guard let server else { return }
    try await server.backUp()
    try await moveIn()
    backup = Backup(
      direct: direct,
      deletions: deletions,
      roles: roles,
      forgotten: forgotten,
      isOut: phones[1].isOut
    )
  }

  /// Restores the last copy of the database.
  mutating func restore() async throws {
    guard let server, let backup else { return }
    try await server.restore()
    isRestored = true
    stranger?.isOld = true
    try await moveIn()
    (direct, deletions, roles, forgotten) = (backup.direct, backup.deletions, backup.roles, backup.forgotten)
    guard phones[1].isOut != backup.isOut else { return }
    phones[1].isOut = backup.isOut
    phones[1].handlers.end(backup.isOut)
    if !backup.isOut { try await phones[1].reopen() }
  }

  /// Copies the folder of a phone's app. Both go on with the same device id.
  mutating func clone(_ index: Int, _ generator: inout SeededRandom) async throws {
    // The session of the second phone may end.
    guard index != 1, phones.count == Self.phones.count, !phones[index].isBrowser else { return }
    var copy = phones[index]
    let folder = FileManager.default.temporaryDirectory.appending(path: "fettle-model-\(UUID().uuidString)")
      .path
    try FileManager.default.copyItem(atPath: copy.folder, toPath: folder)
    phones[index].isCopied = true
    copy.isCopied = true
    copy = try await copy.moved(to: folder, name: "\(copy.name)'s copy", seed: generator.next())
    phones.append(copy)
    for phone in [index, phones.count - 1] {
      try await step(SyncEvent(kind: .create, phone: phone, salt: generator.next() >> 40))
      if Bool.random(using: &generator) { try await sync(phone) }
    }
  }

  /// Lets half a year pass in which a phone was not seen, the others learned of a deletion, and the server forgot it.
  mutating func trim(_ index: Int, _ generator: inout SeededRandom) async throws {
    let living = try await api.get("/v1/maintenance/entry?limit=200", as: phones[0].caller).items
    if let id = living.compactMap({ $0["id"]?.string }).sorted().randomElement(using: &generator) {
      let answer = try await api.delete("/v1/maintenance/entry/\(id)", as: phones[0].caller)
      if (200..<300).contains(answer.status) { deletions.insert(try await deletion(id)) }
    }
    // The newest row of the feed stays, so it must not be the deletion.
    let other = (index + 1) % Self.phones.count
    try await step(SyncEvent(kind: .create, phone: other, salt: generator.next() >> 40))
    for phone in phones.indices where phones[phone].member.userID != phones[index].member.userID {
      try await sync(phone)
    }
    // A device that was seen lately keeps deletions in the feed until it has read them.
    if stranger != nil { try await readStranger() }
    let (engine, company, user) = (api.shop.engine, api.shop.company.id, phones[index].member.userID)
    try await engine.superuser.transaction { tx in
      try tx.execute(
        "update core.feed set changed_at = changed_at - interval '181 days' where company_id = \(company)"
      )
      try tx.execute(
        """
        update core.device set last_pull_at = last_pull_at - interval '181 days'
        where company_id = \(company) and user_id = \(user)
        """
      )
    }
    try await forget()
  }

  /// Lets the server forget what no device needs.
  mutating func forget() async throws {
    let before = try await remembered()
    let worker = api.shop.engine.database.connect(as: "fettle_worker", poolSize: 1)
    _ = try await SyncTrim(worker, company: api.shop.company.id).run()
    await worker.close()
    forgotten.formUnion(before.subtracting(try await remembered()))
  }

  /// The effect of the deletion of a record, as judgements name it.
  private func deletion(_ id: String) async throws -> String {
    try await api.shop.engine.superuser.value(
      """
      select h.record_id || '/' || h.version from core.history h
      where h.company_id = \(api.shop.company.id) and h.record_id::text = \(id) and h.kind = 'delete'
      """,
      as: String.self
    )
  }

  /// Lets the phones reach the server that runs now.
  private mutating func moveIn() async throws {
    guard let server else { return }
    let engine = await server.engine
    api = try await TestDevice.api(
      api.shop.moved(to: engine),
      services: service.services(of: engine.services)
    )
    for phone in phones { phone.handlers.use(api) }
  }
}
