import API
import Apps
import Domain
import Engine
import EngineFixtures
import Postgres
import Synchronization
import TestDatabase
import TestTools

/// Servers that cannot judge changes, or cannot store their judgements.
extension SyncWorld {
  /// A rule of entries whose service answers only now and then.
  final class Service: Sendable {
    private let isBusy = Mutex(false)

    /// Lets the service answer or not.
    func set(busy: Bool) { isBusy.withLock { $0 = busy } }

    /// The services of a server whose rule of entries asks the service.
    func services(of usual: Services) throws -> Services {
      var records = CompiledApps.rules.records
      let rule = records[SyncWorld.type]
      records[SyncWorld.type] = RecordRule(
        locksParents: rule?.locksParents ?? false,
        reads: rule?.reads,
        codes: rule?.codes ?? [:],
        normalise: { try rule?.normalise($0) ?? $0 }
      ) { fields, acting, pipeline in
        let verdict = try rule?.check(fields, acting, &pipeline)
        guard self.isBusy.withLock(\.self) else { return verdict ?? { _ in [:] } }
        return { _ in throw DomainError(.unavailable, "the rule's service does not answer") }
      }
      return Services(database: usual.database, rules: AppRules(records: records), keys: usual.keys)
    }
  }

  /// Synchronises a phone while the rule's service does not answer: no change of fields can be judged.
  mutating func syncUnjudged(_ index: Int) async throws {
    service.set(busy: true)
    defer { service.set(busy: false) }
    if let problem = await phones[index].sync() { problems.append(problem) }
  }

  /// Synchronises a phone while the server cannot store a judgement: nothing may be applied then.
  mutating func syncUnstored(_ index: Int, _ generator: inout SeededRandom) async throws {
    guard server != nil else { return }
    let index = phones[index].isOut ? 0 : index
    try await step(SyncEvent(kind: .create, phone: index, salt: generator.next() >> 40))
    let superuser = api.shop.engine.superuser
    try await superuser.execute(
      "alter table core.sync_item add constraint full_disk check (company_id is null) not valid"
    )
    // The phone reports that the server failed.
    _ = await phones[index].sync()
    try await superuser.execute("alter table core.sync_item drop constraint full_disk")
  }
}
