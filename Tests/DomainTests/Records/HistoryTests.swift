import FoundationEssentials
import Testing

@testable import Domain

@Suite struct HistoryTests {
  /// FNV-1a, sufficient to detect a change.
  private static func hash(_ bytes: [UInt8]) -> [UInt8] {
    let sum = bytes.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return withUnsafeBytes(of: sum.bigEndian) { Array($0) }
  }

  private static func entry(
    _ seq: Int64,
    record: UUID = Fixture.ben,
    kind: HistoryEntry.Kind = .transition,
    microseconds: Int64 = 0,
    transition: String? = "start",
    from: String? = "pending",
    to: String? = "in_progress",
    actor: Actor = .member(Fixture.ana),
    name: [UInt8] = [1],
    comment: [UInt8] = [2],
    changes: [UInt8] = [3],
    request: UUID? = nil,
    version: Int? = 1,
    company: UUID = Fixture.company,
    type: String = "maintenance.entry"
  ) -> HistoryEntry {
    HistoryEntry(
      company: company,
      recordType: type,
      record: record,
      seq: seq,
      kind: kind,
      occurred: Instant(microseconds: microseconds),
      definitionVersion: version,
      transition: transition,
      from: from,
      to: to,
      actor: actor,
      actorNameDigest: name,
      commentDigest: comment,
      changesDigest: changes,
      request: request
    )
  }

  private static func chain(_ count: Int64) -> [HistoryChain.Link] {
    var links: [HistoryChain.Link] = []
    for seq in 1...count {
      let entry = entry(seq, microseconds: seq)
      let hash = HistoryChain.hash(entry, after: links.last?.hash ?? [], using: hash)
      links.append(HistoryChain.Link(entry: entry, hash: hash))
    }
    return links
  }

  private static func firstBreak(_ links: [HistoryChain.Link], head: HistoryChain.Head? = nil) -> HistoryChain
    .Break?
  {
    HistoryChain.firstBreak(in: links, head: head, using: hash)
  }

  @Test func `an untouched chain holds up to its head`() throws {
    let links = Self.chain(5)
    let head = HistoryChain.Head(seq: 5, hash: try #require(links.last).hash)
    #expect(Self.firstBreak(links) == nil)
    #expect(Self.firstBreak(links, head: head) == nil)
    #expect(Self.firstBreak([], head: HistoryChain.Head(seq: 0, hash: [])) == nil)
  }

  @Test(arguments: 1...5 as ClosedRange<Int64>)
  func `an altered entry is named`(seq: Int64) {
    var links = Self.chain(5)
    let index = Int(seq) - 1
    links[index] = .init(entry: Self.entry(seq, microseconds: seq, to: "completed"), hash: links[index].hash)
    #expect(Self.firstBreak(links) == .init(seq: seq, reason: .altered))
  }

  @Test(arguments: 2...5 as ClosedRange<Int64>)
  func `an entry whose hash was made to fit breaks the next`(seq: Int64) {
    var links = Self.chain(5)
    let index = Int(seq) - 2
    let forged = Self.entry(seq - 1, microseconds: 99)
    let before = index > 0 ? links[index - 1].hash : []
    links[index] = .init(entry: forged, hash: HistoryChain.hash(forged, after: before, using: Self.hash))
    #expect(Self.firstBreak(links) == .init(seq: seq, reason: .altered))
  }

  @Test func `missing, swapped, foreign and surplus entries are named`() throws {
    let links = Self.chain(5)
    let head = HistoryChain.Head(seq: 5, hash: try #require(links.last).hash)
    var missing = links
    missing.remove(at: 2)
    #expect(Self.firstBreak(missing) == .init(seq: 3, reason: .missing))
    #expect(Self.firstBreak(Array(links.dropFirst())) == .init(seq: 1, reason: .missing))
    #expect(Self.firstBreak(Array(links.dropLast()), head: head) == .init(seq: 5, reason: .missing))
    #expect(Self.firstBreak([], head: head) == .init(seq: 1, reason: .missing))
    var swapped = links
    swapped.swapAt(1, 2)
    #expect(Self.firstBreak(swapped) == .init(seq: 2, reason: .missing))
    let stranger = Self.entry(3, record: Fixture.ana)
    var foreign = links
    let hash = HistoryChain.hash(stranger, after: links[1].hash, using: Self.hash)
    foreign[2] = .init(entry: stranger, hash: hash)
    #expect(Self.firstBreak(foreign) == .init(seq: 3, reason: .foreign))
    let early = HistoryChain.Head(seq: 3, hash: links[2].hash)
    #expect(Self.firstBreak(links, head: early) == .init(seq: 4, reason: .beyondHead))
    let other = HistoryChain.Head(seq: 5, hash: [0])
    #expect(Self.firstBreak(links, head: other) == .init(seq: 5, reason: .altered))
  }

  @Test func `every field is part of what is hashed`() {
    let variants = [
      Self.entry(1), Self.entry(2), Self.entry(1, record: Fixture.ana), Self.entry(1, kind: .edit),
      Self.entry(1, microseconds: 1), Self.entry(1, transition: nil), Self.entry(1, transition: "s"),
      Self.entry(1, from: nil), Self.entry(1, to: nil), Self.entry(1, to: "completed"),
      Self.entry(1, actor: .member(Fixture.ben)), Self.entry(1, actor: .device(Fixture.ana, of: Fixture.ben)),
      Self.entry(1, actor: .device(Fixture.ana, of: Fixture.ana)), Self.entry(1, name: []),
      Self.entry(1, comment: []),
      Self.entry(1, changes: []), Self.entry(1, request: Fixture.ana), Self.entry(1, version: nil),
      Self.entry(1, version: 2), Self.entry(1, company: Fixture.ana),
      Self.entry(1, type: "maintenance.machine"),
    ]
    var all = variants.map { $0.canonicalBytes(after: []) }
    all.append(Self.entry(1).canonicalBytes(after: [0]))
    #expect(Set(all).count == all.count)
  }

  @Test func `text cannot be moved from one field to the next`() {
    let one = Self.entry(1, transition: "ab", from: "c")
    let other = Self.entry(1, transition: "a", from: "bc")
    #expect(one.canonicalBytes(after: []) != other.canonicalBytes(after: []))
    let empty = Self.entry(1, transition: "")
    let absent = Self.entry(1, transition: nil)
    #expect(empty.canonicalBytes(after: []) != absent.canonicalBytes(after: []))
  }

  @Test func `an operator's name, which is personal, is covered by its digest only`() {
    let one = Self.entry(1, actor: .operator("ana"), name: [7])
    let other = Self.entry(1, actor: .operator("somebody else"), name: [7])
    #expect(one.canonicalBytes(after: []) == other.canonicalBytes(after: []))
  }

  @Test func `the bytes never change, or old chains would break`() {
    let bytes = Self.entry(1).canonicalBytes(after: [0xFF])
    #expect(bytes.starts(with: Array("fettle.history.1".utf8) + [1, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF]))
    #expect(bytes.count == 310)
    #expect(Self.hash(bytes) == [137, 189, 74, 88, 100, 93, 71, 159])
  }
}
