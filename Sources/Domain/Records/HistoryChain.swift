/// The history of one record. Each entry is linked to the previous entry by a hash.
package enum HistoryChain {
  /// An entry and its stored hash.
  package struct Link: Sendable, Hashable {
    /// The entry.
    package let entry: HistoryEntry
    /// The stored hash.
    package let hash: [UInt8]
    /// True if an erasure covers the entry: what is left of it does not yield its hash any more.
    package let isErased: Bool

    /// Creates a link.
    package init(entry: HistoryEntry, hash: [UInt8], isErased: Bool = false) {
      self.entry = entry
      self.hash = hash
      self.isErased = isErased
    }
  }

  /// The number and hash of the newest entry, as stored in the record.
  package struct Head: Sendable, Hashable {
    /// The number of the newest entry; 0 without history.
    package let seq: Int64
    /// The hash of the newest entry; empty without history.
    package let hash: [UInt8]

    /// Creates a head.
    package init(seq: Int64, hash: [UInt8]) {
      self.seq = seq
      self.hash = hash
    }
  }

  /// The first break in a chain: its position and its kind.
  package struct Break: Sendable, Hashable {
    /// The number of the first entry that is missing or wrong.
    package let seq: Int64
    /// The kind of the break.
    package let reason: Reason

    /// Creates a break.
    package init(seq: Int64, reason: Reason) {
      self.seq = seq
      self.reason = reason
    }

    /// The kinds of breaks.
    package enum Reason: String, Sendable, Codable, CaseIterable {
      /// No entry has this number.
      case missing
      /// The entry belongs to another record.
      case foreign
      /// The hash of the entry does not match: the entry, its hash or the previous hash was changed.
      case altered
      /// The entry was moved here from another position.
      case swapped
      /// The texts of the entry were removed without an erasure that covers them.
      case blanked
      /// The record's head has a lower number: entries were added after it.
      case beyondHead = "beyond_head"
    }
  }

  /// Returns the hash of an entry that follows an entry with a given hash.
  ///
  /// - Parameter previous: the hash of the previous entry; empty for the first one.
  package static func hash(
    _ entry: HistoryEntry,
    after previous: [UInt8],
    using hash: ([UInt8]) -> [UInt8]
  ) -> [UInt8] {
    hash(entry.canonicalBytes(after: previous))
  }

  /// Returns the first break of a chain; nil if the chain is intact.
  ///
  /// - Parameters:
  ///   - links: the links, sorted by number.
  ///   - head: the head stored in the record. Without it, missing entries at the end are not noticed.
  ///   - hash: the hash function.
  package static func firstBreak(
    in links: some Sequence<Link>,
    head: Head? = nil,
    using hash: ([UInt8]) -> [UInt8]
  ) -> Break? {
    var walk = HistoryWalk()
    for link in links {
      if let found = walk.follow(link, head: head, using: hash) { return found }
    }
    return head.flatMap(walk.finish)
  }

  /// Returns a break with its kind corrected by means of the whole chain: an entry that was moved from
  /// another position is `swapped`, not `altered`.
  package static func diagnose(_ found: Break, in links: [Link], using hash: ([UInt8]) -> [UInt8]) -> Break {
    guard found.reason == .altered else { return found }
    let before = links.last { $0.entry.seq < found.seq }
    let previous = before?.hash ?? []
    let isMoved = links.contains { link in
      link.entry.seq != found.seq
        && Self.hash(link.entry.numbered(found.seq), after: previous, using: hash) == link.hash
    }
    return isMoved ? Break(seq: found.seq, reason: .swapped) : found
  }
}
