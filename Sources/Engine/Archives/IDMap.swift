internal import Domain
internal import FoundationEssentials
internal import Secrets

/// Replaces ids in lines of an archive: ids of rows by new ones, and accounts by those of the same people here.
///
/// An id is replaced wherever it occurs, in columns, lists, texts and JSON; ids of anything else stay as they are. The new id
/// follows from the old one, so that no table of both is needed.
struct IDMap: Sendable {
  /// The ids of rows, and of the company.
  private let rows: Set<UUID>
  private let people: [UUID: UUID]
  private let salt: [UInt8]

  /// - Parameters:
  ///   - rows: the ids to replace by new ones.
  ///   - people: the ids of accounts here by those in the archive.
  init(rows: Set<UUID>, people: [UUID: UUID]) {
    self.rows = rows.subtracting(people.keys)
    self.people = people.filter { $0.key != $0.value }
    salt = SecureRandom.bytes(32)
  }

  /// True if no id is replaced.
  var isEmpty: Bool { rows.isEmpty && people.isEmpty }

  /// Returns the id that takes the place of another one; the same id if it stays.
  func callAsFunction(_ id: UUID) -> UUID {
    if let person = people[id] { return person }
    guard rows.contains(id) else { return id }
    let number = id.number
    let digest = SHA256.hash(salt + Array(id.text.utf8)).prefix(16).reduce(UInt128(0)) {
      $0 << 8 | UInt128($1)
    }
    // The version, the variant and the time of a version 7 stay, so that new ids sort by time too.
    let isTimed = number >> 76 & 0xF == 7
    let kept: UInt128 = 0xF << 76 | 0b11 << 62 | (isTimed ? 0xFFFF_FFFF_FFFF << 80 : 0)
    return UUID(number: number & kept | digest & ~kept)
  }

  /// Returns a line with all ids replaced. Ids are recognised in their usual form, and as 32 digits.
  func callAsFunction(_ line: [UInt8]) -> [UInt8] {
    guard !isEmpty else { return line }
    return line.withUnsafeBufferPointer { bytes in
      var output: [UInt8] = []
      output.reserveCapacity(bytes.count)
      var (index, copied) = (0, 0)
      // The first eight characters of an id are digits: one of them is at a multiple of eight.
      while index < bytes.count {
        if let start = Self.start(ofWordAt: index, in: bytes), let (id, end) = Self.id(in: bytes, at: start) {
          let other = self(id)
          if other != id {
            output += bytes[copied..<start]
            Self.append(other, isDashed: end - start == 36, to: &output)
            copied = end
          }
          index = max(index, end - 1)
        }
        index = (index | 7) + 1
      }
      output += bytes[copied...]
      return output
    }
  }

  /// Returns the beginning of the digits at a place; nil if there are none, or more than seven before the place.
  private static func start(ofWordAt place: Int, in line: UnsafeBufferPointer<UInt8>) -> Int? {
    guard isDigit(line[place]) else { return nil }
    var start = place
    while start > 0, isDigit(line[start - 1]) {
      start -= 1
      if place - start > 7 { return nil }
    }
    return start
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// Returns the id that begins at a place and ends where a word ends, and its end.
  private static func id(in line: UnsafeBufferPointer<UInt8>, at start: Int) -> (UUID, Int)? {
    var (number, digits, dashes, index): (UInt128, Int, Int, Int) = (0, 0, 0, start)
    let isDashed = start + 8 < line.count && line[start + 8] == UInt8(ascii: "-")
    while digits < 32 {
      guard index < line.count else { return nil }
      if isDashed, digits == 8 + 4 * dashes, dashes < 4 {
        guard line[index] == UInt8(ascii: "-") else { return nil }
        dashes += 1
      } else {
        guard isDigit(line[index]) else { return nil }
        let digit = line[index] <= UInt8(ascii: "9") ? line[index] - UInt8(ascii: "0") : line[index] - 87
        number = number << 4 | UInt128(digit)
        digits += 1
      }
      index += 1
    }
    guard index == line.count || !isDigit(line[index]) else { return nil }
    return (UUID(number: number), index)
  }

  private static func append(_ id: UUID, isDashed: Bool, to output: inout [UInt8]) {
    let number = id.number
    for place in 0..<32 {
      if isDashed, (8...20).contains(place), place % 4 == 0 { output.append(UInt8(ascii: "-")) }
      let digit = UInt8(truncatingIfNeeded: number >> UInt128(4 * (31 - place))) & 0xF
      output.append(digit < 10 ? digit + UInt8(ascii: "0") : digit + 87)
    }
  }
}
