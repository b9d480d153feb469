internal import Domain
package import FoundationEssentials

/// A page of changes for a device.
package struct PullPage: Sendable {
  /// Number and checksum of a member's own records of a type.
  package struct Digest: Sendable, Hashable {
    package let type: String
    package let count: Int64
    /// The exclusive or of the last eight bytes of the ids, as 16 hexadecimal digits.
    package let checksum: String
  }

  /// The changes, each as the text of a JSON object.
  package internal(set) var changes: [String] = []
  package internal(set) var cursor = ""
  /// True if the next page has more changes.
  package internal(set) var hasMore = false
  /// The position in the feed up to which every scope was read, unless there is more.
  package internal(set) var checkpoint: Int64 = 0
  /// The highest number of a change of the device that the page takes into account.
  package internal(set) var acknowledged: Int64 = 0
  package internal(set) var epoch: UUID
  /// The scopes that the member may no longer read. The device drops their records.
  package internal(set) var removed: [String] = []
  /// The scopes that begin again, because old deletions were removed from the feed. When they are complete, the device
  /// drops those of their records that were not sent again.
  package internal(set) var restarted: [String] = []
  /// The numbers of failed changes that a person asks the device to send again.
  package internal(set) var wanted: [Int64] = []
  /// For a device that has only its member's own records, to compare with its store; on the last page only.
  package internal(set) var digests: [Digest] = []

  init(epoch: UUID) { self.epoch = epoch }

  /// True if the page tells the device something that it does not know.
  package internal(set) var isNews = true

  /// The page as the text of a JSON object.
  package var text: String {
    var rest: JSONObject = [
      "cursor": .string(cursor), "has_more": .bool(hasMore), "checkpoint": .integer(checkpoint),
      "acked_no": .integer(acknowledged), "epoch": .string(epoch.text),
    ]
    if !removed.isEmpty { rest["removed_scopes"] = .strings(removed) }
    if !restarted.isEmpty { rest["restarted_scopes"] = .strings(restarted) }
    if !wanted.isEmpty { rest["retry"] = .array(wanted.map { .integer($0) }) }
    if !digests.isEmpty {
      rest["own"] = .array(
        digests.map {
          ["type": .string($0.type), "count": .integer($0.count), "checksum": .string($0.checksum)]
        }
      )
    }
    let members = JSONValue.object(rest).text.dropFirst()
    return "{\"changes\":[\(changes.joined(separator: ","))],\(members)"
  }
}
