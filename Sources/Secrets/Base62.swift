/// 128-bit numbers as 22 letters and digits, which a double click selects and which a URL need not escape.
enum Base62 {
  private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// The number of digits that any 128-bit number fits in.
  static let width = 22

  /// Returns the last `width` digits of the number, most significant first, padded with zeros.
  static func encode(_ number: UInt128, width: Int = width) -> String {
    var rest = number
    var text: [UInt8] = []
    for _ in 0..<width {
      text.append(digits[Int(rest % 62)])
      rest /= 62
    }
    return String(decoding: text.reversed(), as: UTF8.self)
  }

  /// Returns the number; nil for other characters and for numbers beyond 128 bits.
  static func decode(_ text: some Sequence<UInt8>) -> UInt128? {
    var number: UInt128 = 0
    for character in text {
      guard let digit = digits.firstIndex(of: character) else { return nil }
      let (product, tooLarge) = number.multipliedReportingOverflow(by: 62)
      let (sum, carried) = product.addingReportingOverflow(UInt128(digit))
      guard !tooLarge, !carried else { return nil }
      number = sum
    }
    return number
  }
}
