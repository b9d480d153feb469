internal import Domain
package import FoundationEssentials
internal import Postgres
package import Store
package import SyncProtocol

/// The changes of devices that wait for a person: conflicts and failures.
package struct SyncReview: Sendable {
  /// The decision about a change that waits.
  package typealias Decision = SyncResolution

  /// The devices and waiting changes of one member, or of a company.
  package struct Status: Sendable {
    package let devices: [DeviceRow]
    /// How many changes of each device wait, with those that the actor may not see.
    package let waiting: [UUID: DeviceWaiting]
    /// The conflicts and failed changes, oldest first, at most ``mostItems``.
    package let items: [SyncItemRow]
    /// What is known of the conflicts among ``items``, by their place.
    package let conflicts: [Int: SyncConflict]
  }

  /// The most waiting changes in a status.
  package static let mostItems = 500

  let services: Services
  let records: Records

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
  }

  /// Returns the devices and waiting changes of the acting member, or of all members.
  ///
  /// - Parameter all: true for all members, which requires `member.read`. Changes of private records are shown to
  ///   their owner alone.
  package func status(_ acting: ActingContext, all: Bool = false) async throws -> Status {
    let company = acting.company.id
    return try await records.reading(acting) { tx, rights in
      if all { try rights.require("member.read", for: .read) }
      guard all || rights.user != nil else {
        return Status(devices: [], waiting: [:], items: [], conflicts: [:])
      }
      let user = all ? nil : rights.user
      let (devices, waiting, items) = try tx.pipeline { pipeline in
        (
          pipeline.rows(DeviceStore.list(company: company, user: user), as: DeviceRow.self),
          pipeline.rows(DeviceStore.waiting(company: company, user: user), as: DeviceWaiting.self),
          pipeline.rows(
            SyncItemStore.waiting(
              company: company,
              user: user,
              statuses: ["conflict", "failed"],
              limit: Self.mostItems
            ),
            as: SyncItemRow.self
          )
        )
      }
      // A change contains values of its record. Without the right to them, a device still learns that the change waits.
      let readable = records.catalogue.types.filter { rights.holds("\($0.name).read.own") }.map(\.name)
      let shown = try items.all.map { readable.contains($0.recordType) ? $0 : $0.withoutValues }
      return Status(
        devices: try devices.all,
        waiting: Dictionary(try waiting.all.map { ($0.device, $0) }) { first, _ in first },
        items: shown,
        conflicts: try conflicts(shown, rights, company: company, tx)
      )
    }
  }

  /// Returns the given numbers that the server has judged. After a restore, a device sends the others again.
  ///
  /// - Throws: `not_found`, `device_revoked`.
  package func known(_ acting: ActingContext, device: UUID, nos: [Int64]) async throws -> [Int64] {
    let company = acting.company.id
    return try await records.reading(acting) { tx, _ in
      let (row, judged) = try tx.pipeline { pipeline in
        (
          pipeline.rows(DeviceStore.find(company: company, id: device), as: DeviceRow.self),
          pipeline.rows(SyncItemStore.judged(company: company, device: device, nos: nos), Int64.self)
        )
      }
      _ = try DeviceCheck(acting).require(row.first)
      return try judged.all
    }
  }

  /// Decides about a conflict or a failed change.
  ///
  /// - Returns: the record's version after the decision; nil if the decision wrote nothing.
  /// - Throws: `not_found`; `wrong_state` unless the change waits; the errors of the change itself.
  package func resolve(_ acting: ActingContext, device: UUID, no: Int64, _ decision: Decision) async throws
    -> Int64?
  {
    let company = acting.company.id
    return try await records.perform(acting) { work in
      let (row, user) = try item(acting, device, no, in: &work)
      guard var item = SyncItem(stored: row) else { throw DomainError(.internal) }
      try item.apply(checked: decision.event(in: item.status))
      var version: Int64?
      if decision == .mine || decision == .merge {
        guard row.status == SyncStatus.conflict.rawValue else {
          throw DomainError(
            .wrongState,
            "the change failed, and is not in conflict",
            hint: "retry the change, or take server to give it up"
          )
        }
        version = try apply(row, of: user, decision, acting, in: &work)
      }
      work.changes.rows.append(
        SyncItemStore.resolve(
          company: company,
          device: device,
          no: no,
          status: item.status.rawValue,
          resolution: decision.rawValue,
          by: acting.user,
          version: version
        )
      )
      let detail: JSONObject = ["take": .string(decision.rawValue), "record": .string(row.recordID.text)]
      work.changes.audit.append(
        AuditEntry(
          action: "sync.resolved",
          subjectType: "core.sync_item",
          subjectID: "\(device.text)/\(no)",
          detail: JSON(detail)
        )
      )
      return version
    }
  }

  /// Asks a device to send changes again, whose cause may be gone.
  ///
  /// - Parameter no: the change, failed or in conflict; nil for all failed changes of the device.
  /// - Throws: `not_found`; `wrong_state` unless the change waits.
  package func retry(_ acting: ActingContext, device: UUID, no: Int64?) async throws {
    let company = acting.company.id
    _ = try await records.perform(acting) { work in
      if let no {
        let (row, _) = try item(acting, device, no, in: &work)
        guard var item = SyncItem(stored: row) else { throw DomainError(.internal) }
        try item.apply(checked: .retry)
      } else {
        _ = try requireDevice(acting, device, in: &work)
      }
      work.changes.rows.append(SyncItemStore.want(company: company, device: device, no: no))
      work.changes.audit.append(
        AuditEntry(
          action: "sync.retried",
          subjectType: "core.sync_item",
          subjectID: no.map { "\(device.text)/\($0)" } ?? device.text
        )
      )
      return true
    }
  }

  /// Locks and returns a judged change of a device, and the device's member.
  private func item(_ acting: ActingContext, _ device: UUID, _ no: Int64, in work: inout Work) throws
    -> (SyncItemRow, user: UUID)
  {
    let user = try requireDevice(acting, device, in: &work).user
    let statement = SyncItemStore.lock(company: acting.company.id, device: device, no: no)
    guard let row = try work.transaction.first(statement, as: SyncItemRow.self) else {
      throw DomainError(.notFound, "the device sent no change \(no), or its answer was confirmed")
    }
    return (row, user)
  }

  /// Locks the device, which must be the actor's own unless they may change members.
  private func requireDevice(_ acting: ActingContext, _ id: UUID, in work: inout Work) throws -> DeviceRow {
    let (access, device) = try work.read { pipeline in
      pipeline.rows(DeviceStore.lock(company: acting.company.id, id: id), as: DeviceRow.self)
    }
    let rights = try Rights(acting, access)
    try rights.requireCompany(permits: .write)
    guard let device = try device.first, device.user == rights.user || rights.holds("member.update") else {
      throw DomainError(.notFound, "there is no such device")
    }
    return device
  }

  /// Applies a change that was in conflict to the record as it is now; a creation whose record was never made makes it.
  ///
  /// A decision of the device's member is a change of the device.
  ///
  /// - Parameter user: the device's member.
  private func apply(
    _ row: SyncItemRow,
    of user: UUID,
    _ decision: Decision,
    _ acting: ActingContext,
    in work: inout Work
  ) throws -> Int64 {
    guard let object = try row.mutation?.value().object else { throw DomainError(.internal) }
    let mutation = try SyncMutation(object)
    let (type, id) = (mutation.type, mutation.record)
    if user == acting.user {
      work.origin = RecordOrigin(device: row.device, clientTime: mutation.clientTime)
    }
    defer { work.origin = nil }
    switch mutation.operation {
    case .create(let given), .patch(let given, _):
      let conflicting = try row.answer?.value().object?["fields"]?.array?.compactMap(\.string) ?? []
      let definition = try records.catalogue.type(type)
      let isCreation = row.operation == SyncOperation.create.rawValue
      var isMissing = false
      if isCreation {
        let statement = definition.standings(company: acting.company.id, ids: [id])
        isMissing = try work.transaction.first(statement, as: RecordStanding.self) == nil
      }
      var fields = given
      for name in given.keys
      where decision == .merge && conflicting.contains(name)
        || isCreation && !isMissing && !definition.definition.editable.contains(name)
      {
        fields[name] = nil
      }
      guard !isMissing else {
        return try records.create(acting, type: type, id: id, fields: fields, in: &work).version
      }
      guard !fields.isEmpty else {
        throw DomainError(
          .missingFields,
          "every field of the change is in conflict",
          hint: "take mine or server"
        )
      }
      return try records.update(acting, type: type, id: id, fields: fields, in: &work).version
    case .transition(let request):
      return try records.transition(acting, type: type, id: id, request: request, in: &work).version
    case .delete(let comment):
      return try records.delete(acting, type: type, id: id, comment: comment, in: &work).version
    case .attach(let file):
      return try records.attach(acting, file, of: user, to: type, id: id, in: &work).version
    }
  }
}
