/// The values of DER (X.690) in libcrypto's keys and signatures, each of less than 65,536 bytes.
enum DER {
  /// Returns a number that is not negative, from its bytes with the highest first.
  static func integer(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let digits = Array(bytes.drop { $0 == 0 })
    // The first bit is the sign. Zero has one byte.
    let sign: [UInt8] = (digits.first ?? 0xFF) < 0x80 ? [] : [0]
    return value(0x02, sign + digits)
  }

  /// Returns values in order.
  static func sequence(_ values: [UInt8]...) -> [UInt8] { value(0x30, Array(values.joined())) }

  /// Returns whole bytes as bits.
  static func bits(_ bytes: [UInt8]) -> [UInt8] { value(0x03, [0] + bytes) }

  private static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let low = UInt8(truncatingIfNeeded: content.count)
    let length: [UInt8] =
      switch content.count {
      case ..<0x80: [low]
      case ..<0x100: [0x81, low]
      default: [0x82, UInt8(truncatingIfNeeded: content.count >> 8), low]
      }
    return [tag] + length + content
  }
}
