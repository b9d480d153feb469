internal import Domain

/// A number for a whole line of a file: its headings and cells, whatever an import reads of them. It does not depend on the
/// order of the columns, on blanks around cells or on empty cells.
///
/// Equal numbers of different lines are possible and rare: FNV-1a, 64 bits. They are compared within a company only.
struct LineDigest: Hashable, Sendable {
  let value: UInt64

  init(_ cells: some Sequence<(name: String, text: String)>) {
    var value: UInt64 = 0xCBF2_9CE4_8422_2325
    func take(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for (name, text) in cells {
      let cell = text.trimmingSpaces()
      if cell.isEmpty { continue }
      for byte in name.utf8 { take(byte) }
      take(0)
      for byte in cell.utf8 { take(byte) }
      take(0)
    }
    self.value = value
  }

  private init(value: UInt64) { self.value = value }

  /// Returns the bytes of some digests, as an import keeps them.
  static func bytes(_ digests: [LineDigest]) -> [UInt8] {
    digests.flatMap { digest in (0..<8).map { UInt8(truncatingIfNeeded: digest.value >> (56 - 8 * $0)) } }
  }

  /// Returns the digests that an import has kept.
  static func all(_ bytes: [UInt8]) -> [LineDigest] {
    stride(from: 0, to: bytes.count / 8 * 8, by: 8).map { start in
      LineDigest(value: bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) })
    }
  }
}
