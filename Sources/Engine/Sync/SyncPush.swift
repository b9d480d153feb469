internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store
internal import SyncProtocol

/// Receives the changes that devices made offline, and judges each.
///
/// What is applied and the answers to it are stored by the same transaction, so that a repetition gets the stored
/// answers. A change that is refused does not affect the others.
package struct SyncPush: Sendable {
  let services: Services
  let records: Records

  /// The lock timeout: long enough to wait for another push of the same records.
  private static let lockTimeout = Duration.seconds(30)
  /// The most waves of a transaction.
  private static let mostWaves = 4

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
  }

  /// Judges and applies the changes of a device.
  ///
  /// Changes that depend on each other are judged in waves. A transaction takes four of them: the locks of a long chain
  /// of changes of one record do not keep others waiting, and what is judged is kept if a later transaction fails.
  ///
  /// - Throws: `not_found` for an unknown device or that of another member, `device_revoked`, `device_cloned` if a
  ///   number was used for another change, `resync_required` if the database was restored since the device's last
  ///   pull, `client_outdated` for a schema version that the app no longer supports. Then nothing is written.
  package func push(_ acting: ActingContext, _ envelope: PushEnvelope) async throws -> PushAnswer {
    let envelope = try await resolvingNames(in: envelope, acting)
    let note = WorkNote(wantsCheckpoint: true)
    let judged = try await WorkNote.$current.withValue(note) {
      try await records.explaining {
        try await records.underFollowedWorkflows(acting) { try await judge(acting, envelope) }
      }
    }
    let answer = PushAnswer(
      results: envelope.mutations.compactMap { judged.results[$0.no] },
      wanted: judged.wanted,
      epoch: judged.epoch,
      checkpoint: note.checkpoint ?? 0
    )
    await recordDenials(answer, acting)
    return answer
  }

  /// Returns the changes with the ids of the records and members that their fields name. A name that nothing has stays, and
  /// is judged as a value that is not an id.
  private func resolvingNames(in envelope: PushEnvelope, _ acting: ActingContext) async throws -> PushEnvelope
  {
    var envelope = envelope
    for (place, change) in envelope.mutations.enumerated() {
      guard let fields = change.fields else { continue }
      do {
        let resolved = try await records.resolvingReferences(in: fields, type: change.type, acting)
        if resolved != fields { envelope.mutations[place] = change.with(resolved) }
      } catch let error as DomainError where [.notFound, .invalid, .denied].contains(error.category) {
        continue
      }
    }
    return envelope
  }

  private func judge(_ acting: ActingContext, _ envelope: PushEnvelope) async throws -> SyncBatch.Answer {
    let requests = envelope.mutations.map { $0.request(of: envelope.device, member: acting.user) }
    let preparation = try ChangePreparation(records, acting, requests)
    let waves = preparation.waves
    let revision = preparation.revision
    var answer: SyncBatch.Answer?
    for start in stride(from: 0, to: max(waves.count, 1), by: Self.mostWaves) {
      let part = Array(waves[start..<min(start + Self.mostWaves, waves.count)])
      let judged = answer?.results.values.count { $0.result.isFinal } ?? 0
      let next = try await transaction(acting) { isCareful in
        SyncBatch(
          self,
          acting,
          envelope,
          part,
          revision: revision,
          isFirst: start == 0,
          judgedBefore: judged,
          isCareful: isCareful
        )
      }
      answer?.results.merge(next.results) { first, _ in first }
      answer = answer ?? next
    }
    guard let answer else { throw DomainError(.internal) }
    return answer
  }

  /// Runs a batch; again with care if PostgreSQL refuses a value.
  private func transaction(
    _ acting: ActingContext,
    _ batch: @escaping @Sendable (_ isCareful: Bool) -> SyncBatch
  ) async throws -> SyncBatch.Answer {
    func run(isCareful: Bool) async throws -> SyncBatch.Answer {
      let context = acting.context(requestID: services.ids.next())
      return try await records.work.perform(context, lockTimeout: Self.lockTimeout) { work in
        var batch = batch(isCareful)
        return try batch.run(in: &work)
      }
    }
    do {
      return try await run(isCareful: false)
    } catch let error as PostgresError where error.isRefusalOfValue {
      return try await run(isCareful: true)
    }
  }

  /// Returns the statement that stores what the device says about its waiting changes; nil if it says nothing.
  func queued(_ envelope: PushEnvelope, _ acting: ActingContext) -> SQL? {
    let known = envelope.queued.filter { item in records.catalogue.types.contains { $0.name == item.type } }
    guard !known.isEmpty else { return nil }
    return SyncItemStore.report(
      company: acting.company.id,
      device: envelope.device,
      nos: known.map(\.no),
      statuses: known.map(\.status.rawValue),
      attempts: known.map(\.attempts),
      types: known.map(\.type),
      records: known.map(\.record),
      operations: known.map(\.operation),
      owners: known.map { records.owner(ofNew: $0.type, by: acting) },
      most: SyncLimits.described
    )
  }

  private func recordDenials(_ answer: PushAnswer, _ acting: ActingContext) async {
    let codes = answer.results.filter { $0.result == .rejected && !$0.isReplayed }
      .compactMap { $0.code.flatMap(ErrorCode.init(rawValue:)) }
      .filter { $0.category == .denied }
    for code in Set(codes).sorted(by: { $0.rawValue < $1.rawValue }) {
      await services.denials.record(code, acting.context(requestID: services.ids.next()))
    }
  }

  static var restored: DomainError {
    DomainError(
      .resyncRequired,
      "the database was restored from a backup since the device last synchronised",
      details: ["reason": "restored"]
    )
  }
}

extension Records {
  /// Returns the owner of a new record of a private type; nil for a type of the company, and for an unknown type.
  func owner(ofNew type: String, by acting: ActingContext) -> UUID? {
    guard let type = catalogue.types.first(where: { $0.name == type }), type.definition.scope == .owner else {
      return nil
    }
    return acting.user
  }
}
