internal import Glibc

/// The clock of a time zone, read from the system's time zone files (TZif, RFC 8536).
package struct ZoneClock: Sendable, Equatable {
  /// The name of the time zone, such as `Europe/Stockholm`.
  package let name: String
  /// The times at which each offset after the first begins, in seconds since 1970, ascending.
  private let transitions: [Int64]
  /// The offsets in seconds ahead of UTC; one more than transitions.
  private let offsets: [Int]
  /// The rule for times after the last transition; nil if the file has none.
  private let rule: ZoneRule?

  /// Loads the clock of a time zone; nil if the system has no valid file for it.
  package static func load(_ name: String, folder: String = "/usr/share/zoneinfo") -> ZoneClock? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.contains(where: { $0.isEmpty || $0.hasPrefix(".") }) else { return nil }
    let descriptor = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // Zone files have less than 4 KiB.
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    let count = read(descriptor, &bytes, bytes.count)
    return ZoneClock(name: name, bytes: Array(bytes.prefix(max(0, count))))
  }

  /// Parses the bytes of a zone file; nil if they are malformed or of version 1.
  init?(name: String, bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let old = Header(&reader), old.version >= UInt8(ascii: "2") else { return nil }
    reader.skip(old.length(timeSize: 4))
    guard let header = Header(&reader), header.typeCount > 0 else { return nil }
    let transitions = (0..<header.timeCount).map { _ in reader.integer(bytes: 8) }
    let indices = (0..<header.timeCount).map { _ in Int(reader.integer(bytes: 1) & 0xFF) }
    let types = (0..<header.typeCount).map { _ in
      let offset = Int(reader.integer(bytes: 4))
      reader.skip(2)
      return offset
    }
    guard !reader.isExhausted, indices.allSatisfy({ $0 < types.count }) else { return nil }
    reader.skip(header.rest)
    self.name = name
    self.transitions = transitions
    offsets = [types[0]] + indices.map { types[$0] }
    rule = ZoneRule(reader.line())
  }

  /// Returns the offset in seconds ahead of UTC at a time in seconds since 1970.
  package func offset(at seconds: Int64) -> Int {
    guard let last = transitions.last, seconds < last else {
      return rule?.offset(at: seconds) ?? offsets[offsets.count - 1]
    }
    var (low, high) = (0, transitions.count)
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
    }
    return offsets[low]
  }

  /// The header of each of the two parts of a zone file, with the counts of its items.
  private struct Header {
    let version: UInt8
    let timeCount: Int
    let typeCount: Int
    private let charCount: Int
    private let leapCount: Int
    private let flagCount: Int

    init?(_ reader: inout ByteReader) {
      guard reader.integer(bytes: 4) == 0x545A_6966 else { return nil }  // "TZif"
      version = UInt8(truncatingIfNeeded: reader.integer(bytes: 1))
      reader.skip(15)
      let counts = (0..<6).map { _ in Int(reader.integer(bytes: 4)) }
      guard !reader.isExhausted, counts.allSatisfy({ (0...100_000).contains($0) }) else { return nil }
      flagCount = counts[0] + counts[1]
      (leapCount, timeCount, typeCount, charCount) = (counts[2], counts[3], counts[4], counts[5])
    }

    /// The number of bytes after the types, in a part with 8-byte times.
    var rest: Int { charCount + leapCount * 12 + flagCount }

    /// Returns the number of bytes after the header of the part.
    func length(timeSize: Int) -> Int {
      timeCount * (timeSize + 1) + typeCount * 6 + charCount + leapCount * (timeSize + 4) + flagCount
    }
  }
}

/// Reads big-endian numbers. Past the end, reading returns zero and sets ``isExhausted``.
private struct ByteReader {
  private let bytes: [UInt8]
  private var position = 0
  private(set) var isExhausted = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads a signed number of 1 to 8 bytes.
  mutating func integer(bytes count: Int) -> Int64 {
    guard position + count <= bytes.count else {
      isExhausted = true
      return 0
    }
    let raw = bytes[position..<position + count].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    position += count
    let unused = UInt64(64 - count * 8)
    return Int64(bitPattern: raw << unused) >> Int64(unused)
  }

  mutating func skip(_ count: Int) { position += count }

  /// Returns the text between the next two line feeds; empty if the next byte is not a line feed.
  func line() -> String {
    guard position < bytes.count, bytes[position] == 0x0A else { return "" }
    return String(decoding: bytes[(position + 1)...].prefix { $0 != 0x0A }, as: UTF8.self)
  }
}
