/// The usual number of a program's export: digits, perhaps a minus before them and a point between them.
enum PlainNumber {
  /// True for a number that PostgreSQL and JSON read as it is.
  static func isPlain(_ text: String) -> Bool { parts(text).map { $0.whole == 1 || !$0.hasZero } ?? false }

  /// True if a plain number says nothing new about the decimal sign: it has no point, or has decimals that no
  /// thousands look like while the column is known to have such a number.
  static func saysNothing(_ text: String, isPointKnown: Bool) -> Bool {
    guard let parts = parts(text) else { return false }
    return parts.decimals == 0 || isPointKnown && (parts.decimals != 3 || parts.whole > 3 || parts.hasZero)
  }

  /// Returns the numbers of digits before and after the point, and whether the first digit is 0; nil for
  /// another text.
  private static func parts(_ text: String) -> (whole: Int, decimals: Int, hasZero: Bool)? {
    var whole = 0
    var decimals = 0
    var hasZero = false
    var isAfterPoint = false
    for (index, byte) in text.utf8.enumerated() {
      switch byte {
      case 0x30...0x39 where isAfterPoint: decimals += 1
      case 0x30...0x39:
        if whole == 0 { hasZero = byte == 0x30 }
        whole += 1
      case UInt8(ascii: "-") where index == 0: break
      case UInt8(ascii: ".") where whole > 0 && !isAfterPoint: isAfterPoint = true
      default: return nil
      }
    }
    guard whole > 0, whole + decimals <= 60, !isAfterPoint || decimals > 0 else { return nil }
    return (whole, decimals, hasZero)
  }
}
