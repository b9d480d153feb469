internal import Domain
internal import FoundationEssentials
internal import Store

/// The conditions under which a device may synchronise.
struct DeviceCheck {
  private let acting: ActingContext

  init(_ acting: ActingContext) { self.acting = acting }

  /// Returns the device if it is the actor's own and not revoked.
  ///
  /// - Throws: `not_found`, also for a device of another member; `device_revoked`.
  func require(_ device: DeviceRow?) throws(DomainError) -> DeviceRow {
    guard let device, let user = acting.user, device.user == user else {
      throw DomainError(
        .notFound,
        "there is no such device",
        hint: "register the device with `POST /v1/sync/devices`"
      )
    }
    guard device.revokedAt == nil else { throw DomainError(.deviceRevoked) }
    return device
  }

  /// Requires a client whose version of the record types is still supported.
  ///
  /// - Throws: `client_outdated`, with the app and the lowest version in the details.
  func require(schema version: Int, of types: [String], _ catalogue: TypeCatalogue) throws(DomainError) {
    for app in Set(types.map { String($0.prefix { $0 != "." }) }).sorted() {
      guard let lowest = catalogue.lowestClients[app], version < lowest else { continue }
      throw DomainError(
        .clientOutdated,
        "\(app) requires a client with schema version \(lowest) or later, and this one has \(version)",
        details: ["app": .string(app), "min_client": .integer(lowest)]
      )
    }
  }
}
