/// Verifies the chain of one record, link by link in ascending order. Only the last link is kept.
package struct HistoryWalk: Sendable {
  private var last: HistoryChain.Link?
  private var expected: Int64 = 1

  /// Creates a walk before the first link.
  package init() {}

  /// The number of verified links.
  package var count: Int64 { expected - 1 }

  /// Verifies the next link.
  ///
  /// - Returns: the break; nil if the link is valid. After a break, further results have no meaning.
  package mutating func follow(
    _ link: HistoryChain.Link,
    head: HistoryChain.Head? = nil,
    using hash: ([UInt8]) -> [UInt8]
  ) -> HistoryChain.Break? {
    let entry = link.entry
    guard entry.seq == expected else { return .init(seq: min(expected, entry.seq), reason: .missing) }
    if let head, entry.seq > head.seq { return .init(seq: entry.seq, reason: .beyondHead) }
    if let before = last?.entry {
      guard entry.record == before.record, entry.recordType == before.recordType,
        entry.company == before.company
      else { return .init(seq: entry.seq, reason: .foreign) }
    }
    guard
      link.isErased || HistoryChain.hash(entry, after: last?.hash ?? [], using: hash) == link.hash
    else {
      return .init(seq: entry.seq, reason: .altered)
    }
    last = link
    expected += 1
    return nil
  }

  /// Compares the last link with the head stored in the record.
  ///
  /// - Returns: the break; nil if they match.
  package func finish(_ head: HistoryChain.Head) -> HistoryChain.Break? {
    if head.seq >= expected { return .init(seq: expected, reason: .missing) }
    return (last?.hash ?? []) == head.hash ? nil : .init(seq: head.seq, reason: .altered)
  }
}
