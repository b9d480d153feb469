/// The header field `Range` (RFC 9110, section 14), with one range of bytes.
enum ByteRange: Equatable {
  /// All bytes: no field, several ranges, another unit, or a field that is not well formed.
  case all
  /// Some bytes.
  case part(Range<Int>)
  /// No byte of the file is in the range.
  case unsatisfiable

  /// Parses the field for a file of `size` bytes.
  init(parsing field: String?, size: Int) {
    guard let field, field.lowercased().hasPrefix("bytes=") else {
      self = .all
      return
    }
    let text = field.dropFirst("bytes=".count).filter { $0 != " " && $0 != "\t" }
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    guard !text.contains(","), ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }),
      ends.allSatisfy({ $0.count <= 18 }), !(ends[0].isEmpty && ends[1].isEmpty)
    else {
      self = .all
      return
    }
    guard let first = Int(ends[0]) else {
      let last = min(Int(ends[1]) ?? 0, size)
      self = last > 0 ? .part(size - last..<size) : .unsatisfiable
      return
    }
    let last = Int(ends[1]) ?? Int.max
    guard first <= last else {
      self = .all
      return
    }
    self = first < size ? .part(first..<(last < size ? last + 1 : size)) : .unsatisfiable
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
