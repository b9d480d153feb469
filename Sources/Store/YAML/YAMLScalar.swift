/// A type that a scalar of YAML may have, by the rules of YAML 1.1. The type that is read decides: `on` is a text, and
/// true where a truth value is expected.
protocol YAMLScalar {
  /// Reads a scalar; nil if it has another type.
  init?(yaml text: String, isPlain: Bool)
}

extension String: YAMLScalar {
  init?(yaml text: String, isPlain: Bool) { self = text }
}

extension Bool: YAMLScalar {
  init?(yaml text: String, isPlain: Bool) {
    guard isPlain else { return nil }
    switch text.lowercased() {
    case "true", "yes", "on": self = true
    case "false", "no", "off": self = false
    default: return nil
    }
  }
}

extension YAMLScalar where Self: FixedWidthInteger {
  /// Reads `1_000`, `0x1F`, `0b11`, `0o17`, `017`, or `1:30` with the base 60.
  init?(yaml text: String, isPlain: Bool) {
    guard isPlain else { return nil }
    let text = text.replacing("_", with: "")
    let sign = text.hasPrefix("-") ? "-" : ""
    let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
    if digits.contains(":") {
      self.init(sexagesimal: digits, isNegative: !sign.isEmpty)
      return
    }
    let radices = [("0x", 16), ("0b", 2), ("0o", 8), ("0", 8)]
    guard text != "0", let (prefix, radix) = radices.first(where: { digits.hasPrefix($0.0) }) else {
      self.init(text)
      return
    }
    self.init(sign + digits.dropFirst(prefix.count), radix: radix)
  }

  private init?(sexagesimal digits: Substring, isNegative: Bool) {
    var sum: Self = 0
    for part in digits.split(separator: ":", omittingEmptySubsequences: false) {
      guard let number = Self(part) else { return nil }
      let (product, overflows) = sum.multipliedReportingOverflow(by: 60)
      let (next, isTooLarge) = product.addingReportingOverflow(number)
      guard !overflows, !isTooLarge else { return nil }
      sum = next
    }
    let (negative, overflows) = Self(0).subtractingReportingOverflow(sum)
    guard isNegative else {
      self = sum
      return
    }
    guard !overflows else { return nil }
    self = negative
  }
}

extension Int: YAMLScalar {}
extension Int8: YAMLScalar {}
extension Int16: YAMLScalar {}
extension Int32: YAMLScalar {}
extension Int64: YAMLScalar {}
extension UInt: YAMLScalar {}
extension UInt8: YAMLScalar {}
extension UInt16: YAMLScalar {}
extension UInt32: YAMLScalar {}
extension UInt64: YAMLScalar {}

extension Double: YAMLScalar {
  init?(yaml text: String, isPlain: Bool) {
    guard isPlain else { return nil }
    switch text.lowercased() {
    case ".inf", "+.inf": self = .infinity
    case "-.inf": self = -.infinity
    case ".nan": self = .nan
    default:
      let text = text.replacing("_", with: "")
      guard text.contains(":") else {
        self.init(text)
        return
      }
      let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
      let parts = digits.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
      guard let sum = parts.reduce(0, { sum, part in part.flatMap { part in sum.map { $0 * 60 + part } } })
      else { return nil }
      self = text.hasPrefix("-") ? -sum : sum
    }
  }
}

extension Float: YAMLScalar {
  init?(yaml text: String, isPlain: Bool) {
    guard let double = Double(yaml: text, isPlain: isPlain) else { return nil }
    self.init(double)
  }
}
