public import SyncProtocol

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A change in the queue of this device.
public struct Change: Sendable, Hashable, Identifiable {
  /// Identifies a change: the device that numbered it, and the number.
  public struct ID: Sendable, Hashable, CustomStringConvertible {
    /// The id of the device. It differs from this device's if the store was copied.
    public let device: UUID
    /// The number, from 1.
    public let number: Int64

    /// The form that `fettle sync` uses.
    public var description: String { "\(device.uuidString.lowercased())/\(number)" }
  }

  /// The identity.
  public let id: ID
  /// The type of the record, such as `maintenance.entry`.
  public let type: String
  /// The record.
  public let record: UUID
  /// The kind of change.
  public let operation: SyncOperation
  /// The given fields; empty for most transitions and for deletions.
  public let fields: [String: FieldValue]
  /// The name of the transition; nil for another kind.
  public let transition: String?
  /// The comment that was given.
  public let comment: String?
  /// The file that the change attaches; nil for another change.
  public let file: UUID?
  /// The time of the change by this device's clock.
  public let madeAt: Date
  /// The status. `synced` is shown when the server has applied the change, and its effect was pulled.
  public let status: SyncStatus
  /// The number of failed attempts to send it.
  public let attempts: Int
  /// The record's version that the change made, or the server's version in a conflict.
  public let version: Int64?
  /// The code of the reason of a conflict or failure, such as `stale` or `forbidden`.
  public let code: String?
  /// The reason of a conflict or failure.
  public let detail: String?
  /// The fields that somebody else changed too.
  public let conflictingFields: [String]
  /// The record as the server had it when it found the conflict; nil if it may not be read.
  public let server: [String: FieldValue]?
  /// The decision that was taken and not sent yet; nil if there is none.
  public let decision: SyncResolution?
}
