internal import Domain
package import FoundationEssentials
internal import Postgres
package import Store

/// The devices of members.
package struct Devices: Sendable {
  /// The description that a device gives of itself.
  package struct Description: Sendable {
    package let id: UUID
    package let name: String
    /// The app whose records it has; nil for those of all apps.
    package let app: String?
    package let platform: String
    package let appVersion: String
    package let schemaVersion: Int
    /// The days for which the device keeps work that is done; nil to keep all of it.
    package let doneDays: Int?

    package init(
      id: UUID,
      name: String,
      app: String? = nil,
      platform: String = "",
      appVersion: String = "",
      schemaVersion: Int = 1,
      doneDays: Int? = nil
    ) {
      self.id = id
      self.name = name
      self.app = app
      self.platform = platform
      self.appVersion = appVersion
      self.schemaVersion = schemaVersion
      self.doneDays = doneDays
    }
  }

  /// The most devices of a member that are not revoked.
  package static let most = 50
  /// The most devices that a member may register in 30 days, revoked ones included.
  package static let mostNew = 100

  private let services: Services
  private let records: Records

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
  }

  /// The days for which a device may ask to keep work that is done.
  package static let doneDays: ClosedRange<Int64> = 1...3_650

  /// Registers a device of the acting member, or updates its description.
  ///
  /// - Throws: `not_found` for an app that is not installed, `already_exists` if another member's device has the id,
  ///   `device_revoked`, `quota_exceeded` for too many devices, `invalid_name`, `forbidden` for an actor who is not a
  ///   member.
  package func register(_ acting: ActingContext, _ device: Description) async throws -> DeviceRow {
    guard let user = acting.user, acting.actor.kind == .member || acting.actor.kind == .token else {
      throw DomainError(.forbidden, "devices belong to members")
    }
    let name = try DisplayName(parsing: device.name).text
    guard device.platform.count <= 100, device.appVersion.count <= 100 else {
      throw DomainError(.valueTooLong, "platform and app_version have at most 100 characters")
    }
    if let app = device.app { try await requireApp(app) }
    let company = acting.company.id
    _ = try await records.perform(acting) { work in
      let (access, tickets) = try work.read { pipeline in
        (
          pipeline.rows(DeviceStore.lock(company: company, id: device.id), as: DeviceRow.self),
          pipeline.rows(DeviceStore.list(company: company, user: user), as: DeviceRow.self)
        )
      }
      try Rights(acting, access).requireCompany(permits: .write)
      let known = try tickets.0.first
      guard known == nil || known?.user == user else {
        throw DomainError(
          .alreadyExists,
          "another member's device has this id",
          hint: "choose a new random id"
        )
      }
      guard known?.revokedAt == nil else { throw DomainError(.deviceRevoked) }
      if known == nil { try Self.requireRoom(try tickets.1.all, at: access.now) }
      work.changes.rows.append(
        DeviceStore.register(
          company: company,
          id: device.id,
          user: user,
          name: name,
          app: device.app,
          platform: device.platform,
          appVersion: device.appVersion,
          schemaVersion: device.schemaVersion,
          doneDays: device.doneDays
        )
      )
      return true
    }
    return try await find(acting, device.id)
  }

  private static func requireRoom(_ devices: [DeviceRow], at now: Instant) throws(DomainError) {
    guard devices.count(where: { $0.revokedAt == nil }) < most else {
      throw DomainError(
        .quotaExceeded,
        "you have \(most) devices",
        hint: "revoke the devices that are no longer used"
      )
    }
    let month: Int64 = 30 * 86_400 * 1_000_000
    guard devices.count(where: { $0.createdAt.microseconds > now.microseconds - month }) < mostNew else {
      throw DomainError(
        .quotaExceeded,
        "you have registered \(mostNew) devices in 30 days",
        hint: "keep the id of a device for as long as its changes"
      )
    }
  }

  /// Requires that an app is installed: a device of another one would synchronise nothing.
  private func requireApp(_ app: String) async throws {
    func apps() -> Set<String> { Set(records.catalogue.types.map(\.app)) }
    if apps().contains(app) { return }
    // It may have been installed meanwhile.
    try await records.refresh()
    guard !apps().contains(app) else { return }
    throw DomainError(
      .notFound,
      "there is no app \(Quoted(app))",
      hint: "use one of: \(apps().sorted().joined(separator: ", "))",
      details: ["fields": ["app"]]
    )
  }

  /// Returns the devices of the acting member; of all members for an actor with `member.read` who asks for them.
  package func list(_ acting: ActingContext, all: Bool) async throws -> [DeviceRow] {
    try await records.reading(acting) { tx, rights in
      if all { try rights.require("member.read", for: .read) }
      let user = all ? nil : rights.user
      guard all || user != nil else { return [] }
      return try tx.rows(DeviceStore.list(company: acting.company.id, user: user), as: DeviceRow.self)
    }
  }

  /// Revokes a device: it is refused from now on. Its waiting changes stay on it.
  ///
  /// Members revoke their own devices; those of others require `member.update`.
  ///
  /// - Throws: `not_found`, `forbidden`.
  package func revoke(_ acting: ActingContext, _ id: UUID) async throws {
    let company = acting.company.id
    _ = try await records.perform(acting) { work in
      let (access, device) = try work.read { pipeline in
        pipeline.rows(DeviceStore.lock(company: company, id: id), as: DeviceRow.self)
      }
      let rights = try Rights(acting, access)
      try rights.requireCompany(permits: .write)
      guard let device = try device.first, device.user == rights.user || rights.holds("member.update") else {
        throw DomainError(.notFound, "there is no such device")
      }
      work.changes.rows.append(DeviceStore.revoke(company: company, id: id))
      work.changes.audit.append(
        AuditEntry(action: "device.revoke", subjectType: "core.device", subjectID: id.text)
      )
      return true
    }
  }

  private func find(_ acting: ActingContext, _ id: UUID) async throws -> DeviceRow {
    try await records.reading(acting) { tx, _ in
      try DeviceCheck(acting).require(
        tx.first(DeviceStore.find(company: acting.company.id, id: id), as: DeviceRow.self)
      )
    }
  }
}
