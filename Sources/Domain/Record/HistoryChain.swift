/// The history of one record, each entry linked to the previous one by a hash.
package enum HistoryChain {
  /// An entry and its stored hash.
  package struct Link: Sendable, Hashable {
    /// The entry.
    package let entry: HistoryEntry
    /// The stored hash.
    package let hash: [UInt8]

    /// Creates a link.
    package init(entry: HistoryEntry, hash: [UInt8]) {
      self.entry = entry
      self.hash = hash
    }
  }

  /// The newest entry's number and hash as stored in the record.
  package struct Head: Sendable, Hashable {
    /// The number; 0 without history.
    package let seq: Int64
    /// The hash; empty without history.
    package let hash: [UInt8]

    /// Creates a head.
    package init(seq: Int64, hash: [UInt8]) {
      self.seq = seq
      self.hash = hash
    }
  }

  /// The position and kind of a break in a chain.
  package struct Break: Sendable, Hashable {
    /// The number of the first entry that is missing or does not match.
    package let seq: Int64
    /// Kind of the break.
    package let reason: Reason

    /// Creates a break.
    package init(seq: Int64, reason: Reason) {
      self.seq = seq
      self.reason = reason
    }

    /// Kinds of break.
    package enum Reason: String, Sendable, Codable, CaseIterable {
      /// The entry of this number is missing.
      case missing
      /// The entry belongs to another record.
      case foreign
      /// The entry, or the previous hash, was changed.
      case altered
      /// The entry is at the position of another one.
      case swapped
      /// Entries exist beyond the record's head.
      case beyondHead = "beyond_head"
    }
  }

  /// Returns the hash of an entry after the previous one.
  package static func hash(
    _ entry: HistoryEntry,
    after previous: [UInt8],
    using hash: ([UInt8]) -> [UInt8]
  ) -> [UInt8] {
    hash(entry.canonicalBytes(after: previous))
  }

  /// Returns the first break of the chain; nil if it is intact.
  ///
  /// Links must be sorted by number. Without a head, a truncated chain looks intact.
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

  /// Classifies a break using the whole chain: an entry at the position of another one was moved, not
  /// changed.
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
