package import FoundationEssentials

extension UUID {
  /// Creates a UUID from a 128-bit number, most significant byte first.
  package init(number: UInt128) {
    let byte = { (index: Int) in UInt8(truncatingIfNeeded: number >> UInt128(8 * (15 - index))) }
    self.init(
      uuid: (
        byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7),
        byte(8), byte(9), byte(10), byte(11), byte(12), byte(13), byte(14), byte(15)
      )
    )
  }

  /// The UUID as a 128-bit number.
  package var number: UInt128 {
    withUnsafeBytes(of: uuid) { bytes in bytes.reduce(0) { $0 << 8 | UInt128($1) } }
  }
}
