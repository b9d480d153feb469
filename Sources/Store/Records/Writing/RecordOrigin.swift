package import FoundationEssentials
package import Postgres

/// The device on which a record was created or changed, and the time there.
package struct RecordOrigin: Sendable {
  package let device: UUID
  /// The time of the change by the device's clock; nil if it sent none.
  package let clientTime: Instant?

  package init(device: UUID, clientTime: Instant?) {
    self.device = device
    self.clientTime = clientTime
  }
}
