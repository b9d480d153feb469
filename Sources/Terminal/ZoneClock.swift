internal import Glibc

/// The clock of a time zone, read from the system's time zone files (TZif, RFC 8536).
package struct ZoneClock: Sendable, Equatable {
  /// The zone's name, such as `Europe/Stockholm`.
  package let name: String
  /// Seconds since 1970 at which each offset after the first begins, ascending.
  private let transitions: [Int64]
  /// Seconds ahead of UTC; one more than there are transitions.
  private let offsets: [Int]
  /// The rule for times after the last transition.
  private let rule: ZoneRule?

  /// Loads the clock of a zone; nil if the system has no file for it.
  package static func load(_ name: String, folder: String = "/usr/share/zoneinfo") -> ZoneClock? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.contains(where: { $0.isEmpty || $0.hasPrefix(".") }) else { return nil }
    let descriptor = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // The largest zone file is below 4 KiB.
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    let count = read(descriptor, &bytes, bytes.count)
    return ZoneClock(name: name, bytes: Array(bytes.prefix(max(0, count))))
  }

  /// Parses the bytes of a zone file; nil unless they are of version 2 or later.
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

  /// Returns the seconds ahead of UTC at a time, given in seconds since 1970.
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

  /// The counts at the beginning of each part of a zone file.
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

    /// Returns the number of bytes after the types of a part with 8-byte times.
    var rest: Int { charCount + leapCount * 12 + flagCount }

    /// Returns the number of bytes of the part.
    func length(timeSize: Int) -> Int {
      timeCount * (timeSize + 1) + typeCount * 6 + charCount + leapCount * (timeSize + 4) + flagCount
    }
  }
}

/// Reads big-endian numbers; past the end it returns zero and records the failure.
private struct ByteReader {
  private let bytes: [UInt8]
  private var position = 0
  private(set) var isExhausted = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads a signed number of a number of bytes.
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

  /// Returns the text between the next two line feeds.
  func line() -> String {
    guard position < bytes.count, bytes[position] == 0x0A else { return "" }
    return String(decoding: bytes[(position + 1)...].prefix { $0 != 0x0A }, as: UTF8.self)
  }
}
