/// The history of one record, each entry bound to the one before by a hash.
package enum HistoryChain {
  /// An entry and the hash that was stored with it.
  package struct Link: Sendable, Hashable {
    /// The entry.
    package let entry: HistoryEntry
    /// The stored hash.
    package let hash: [UInt8]

    /// Puts a link together.
    package init(entry: HistoryEntry, hash: [UInt8]) {
      self.entry = entry
      self.hash = hash
    }
  }

  /// The newest entry's number and hash as the record itself holds them.
  package struct Head: Sendable, Hashable {
    /// The number; 0 without history.
    package let seq: Int64
    /// The hash; empty without history.
    package let hash: [UInt8]

    /// Puts a head together.
    package init(seq: Int64, hash: [UInt8]) {
      self.seq = seq
      self.hash = hash
    }
  }

  /// Position and kind of a break in a chain.
  package struct Break: Sendable, Hashable {
    /// The number of the first entry that is missing or does not match.
    package let seq: Int64
    /// Kind of the break.
    package let reason: Reason

    /// Puts a break together.
    package init(seq: Int64, reason: Reason) {
      self.seq = seq
      self.reason = reason
    }

    /// Kinds of break.
    package enum Reason: String, Sendable, Codable, CaseIterable {
      /// The entry of this number is not there.
      case missing
      /// The entry belongs to another record.
      case foreign
      /// The entry, or the hash before it, was changed.
      case altered
      /// The entry stands in another one's place.
      case swapped
      /// There are entries beyond the record's head.
      case beyondHead = "beyond_head"
    }
  }

  /// The hash of an entry after the one before it.
  package static func hash(
    _ entry: HistoryEntry,
    after previous: [UInt8],
    using hash: ([UInt8]) -> [UInt8]
  ) -> [UInt8] {
    hash(entry.canonicalBytes(after: previous))
  }

  /// The first place where the chain does not hold; nil when it does.
  ///
  /// Links come in the order of their numbers. Without a head a chain that was cut off at its end looks whole.
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

  /// What a break really is, told from the whole chain: an entry that only stands in another one's place was not
  /// changed but moved.
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
