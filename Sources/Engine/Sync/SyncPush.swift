package import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store
internal import SyncProtocol

/// Receives the changes that devices made offline, and judges each.
///
/// All changes of a request are one transaction: what is applied and the answers to it are stored together. A
/// repetition gets the stored answers. A change that is refused does not affect the others.
package struct SyncPush: Sendable {
  let services: Services
  let records: Records

  /// The lock timeout: long enough to wait for another push of the same records.
  private static let lockTimeout = Duration.seconds(30)

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
  }

  /// Judges and applies the changes of a device.
  ///
  /// - Throws: `not_found` for an unknown device or that of another member, `device_revoked`, `device_cloned` if a
  ///   number was used for another change, `resync_required` if the database was restored since the device's last
  ///   pull, `client_outdated` for a schema version that the app no longer supports. Then nothing is written.
  package func push(_ acting: ActingContext, _ envelope: PushEnvelope) async throws -> PushAnswer {
    let note = WorkNote(wantsCheckpoint: true)
    var answer = try await WorkNote.$current.withValue(note) {
      try await records.perform(acting, lockTimeout: Self.lockTimeout) { work in
        try push(acting, envelope, in: &work)
      }
    }
    answer.checkpoint = note.checkpoint ?? 0
    await recordDenials(answer, acting)
    return answer
  }

  private func push(_ acting: ActingContext, _ envelope: PushEnvelope, in work: inout Work) throws
    -> PushAnswer
  {
    let company = acting.company.id
    // The device is locked by a statement of its own, so that a repetition sees the answers of the first request.
    let (access, locked) = try work.read { pipeline in
      pipeline.rows(DeviceStore.lock(company: company, id: envelope.device), as: DeviceRow.self)
    }
    guard access.catalogueNumber == records.catalogue.number else { throw OutdatedCatalogue() }
    let rights = try Rights(acting, access)
    try rights.requireCompany(permits: .write)
    let device = try DeviceCheck(acting).require(locked.first)
    try DeviceCheck(acting).require(
      schema: envelope.schemaVersion ?? device.schemaVersion,
      of: envelope.mutations.map(\.type),
      records.catalogue
    )
    if let epoch = envelope.epoch, epoch != access.epoch { throw Self.restored }
    var judging = try SyncJudging(self, acting, access, device, envelope.mutations, in: &work)
    for mutation in envelope.mutations { try judging.judge(mutation, in: &work) }
    work.changes.rows += judging.statements
    if let statement = queued(envelope, company, acting) { work.changes.rows.append(statement) }
    work.changes.rows.append(
      DeviceStore.pushed(
        company: company,
        id: device.id,
        schemaVersion: envelope.schemaVersion ?? device.schemaVersion,
        maxNo: envelope.mutations.last?.no ?? 0,
        confirmedNo: envelope.confirmedNo,
        queue: envelope.queue,
        now: access.now
      )
    )
    return PushAnswer(results: judging.results, wanted: judging.wanted, epoch: access.epoch)
  }

  /// Returns the statement that stores what the device says about its waiting changes; nil if it says nothing.
  private func queued(_ envelope: PushEnvelope, _ company: UUID, _ acting: ActingContext) -> SQL? {
    let known = envelope.queued.filter { item in records.catalogue.types.contains { $0.name == item.type } }
    guard !known.isEmpty else { return nil }
    return SyncItemStore.report(
      company: company,
      device: envelope.device,
      nos: known.map(\.no),
      statuses: known.map(\.status.rawValue),
      attempts: known.map(\.attempts),
      types: known.map(\.type),
      records: known.map(\.record),
      operations: known.map(\.operation),
      owners: known.map { records.owner(ofNew: $0.type, by: acting) }
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
