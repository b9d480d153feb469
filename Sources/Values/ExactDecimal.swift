/// An exact decimal number as written, such as an amount of money, a number in JSON, or PostgreSQL's `numeric`.
///
/// ```swift
/// let limit = ExactDecimal("19.90")
/// let sum: SQL = "select sum(price) from item where price > \(nullable: limit)"
/// let total = try tx.value(sum, as: ExactDecimal?.self)
/// ```
///
/// Numbers are compared by value (`2.0 == 2`). The text keeps trailing zeros, because prices are written as
/// `2.50`. There is no arithmetic; use SQL.
public struct ExactDecimal: Sendable {
  /// The number as written, in the grammar of JSON.
  public let text: String

  /// True if the number is less than zero.
  package let isNegative: Bool
  /// The digits without leading and trailing zeros; zero has none.
  package let digits: [UInt8]
  /// The exponent of ten of the last digit.
  package let exponent: Int

  /// The most decimals, with the zeros after the last digit: 308 zeros, and 64 digits.
  private static let mostDecimals = 372
  /// The most bytes of a number that PostgreSQL writes: a sign, 308 digits, the point, and the decimals.
  private static let longest = 1 + 308 + 1 + mostDecimals

  /// Parses a number in JSON's grammar: no leading zeros, no plus sign, a digit on both sides of the point.
  ///
  /// PostgreSQL writes numbers without exponents. So whatever this accepts can be read again, as PostgreSQL writes it:
  /// the limits are of the number and not of its text.
  ///
  /// - Returns: nil for another form, for more than 64 digits without the zeros around them, more than 308 digits before
  ///   the point or zeros after it, and more than ``mostDecimals`` decimals.
  public init?(_ text: String) {
    guard let parts = Self.scan(text) else { return nil }
    var digits = parts.digits
    var exponent = parts.exponent
    while digits.last == 0 {
      digits.removeLast()
      exponent += 1
    }
    digits = Array(digits.drop { $0 == 0 })
    guard digits.count <= 64, abs(parts.exponent) <= Self.mostDecimals,
      digits.isEmpty || abs(exponent + digits.count) <= 308
    else { return nil }
    self.text = text
    self.isNegative = parts.isNegative && !digits.isEmpty
    self.digits = digits
    self.exponent = digits.isEmpty ? 0 : exponent
  }

  /// True if the text is a number in JSON's grammar, also one out of range.
  package static func isNumber(_ text: String) -> Bool { scan(text) != nil }

  /// Creates a whole number.
  public init(_ value: some BinaryInteger) {
    var magnitude = value.magnitude
    var digits: [UInt8] = []
    while magnitude > 0 {
      digits.insert(UInt8(truncatingIfNeeded: magnitude % 10), at: 0)
      magnitude /= 10
    }
    var exponent = 0
    while digits.last == 0 {
      digits.removeLast()
      exponent += 1
    }
    self.text = String(value)
    self.isNegative = value < 0
    self.digits = digits
    self.exponent = digits.isEmpty ? 0 : exponent
  }

  /// The canonical text, such as `2.5`: identical for equal numbers, without trailing zeros.
  ///
  /// It has an exponent only for more than 21 digits before the point or more than 6 zeros after it.
  public var canonicalText: String {
    if digits.isEmpty { return "0" }
    let sign = isNegative ? "-" : ""
    let coefficient = digits.map(String.init).joined()
    let point = digits.count + exponent
    if exponent >= 0, point <= 21 { return sign + coefficient + String(repeating: "0", count: exponent) }
    if exponent < 0, point > 0 {
      return "\(sign)\(coefficient.prefix(point)).\(coefficient.dropFirst(point))"
    }
    if exponent < 0, point > -7 { return "\(sign)0.\(String(repeating: "0", count: -point))\(coefficient)" }
    return "\(sign)\(coefficient)e\(exponent)"
  }

  /// The number as an integer; nil if it has decimals or exceeds 64 bits.
  public var integer: Int64? {
    guard exponent >= 0, digits.count + exponent <= 19 else { return nil }
    var value: Int64 = 0
    for place in 0..<digits.count + exponent {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let step = place < digits.count ? Int64(digits[place]) : 0
      let (sum, carry) =
        isNegative ? product.subtractingReportingOverflow(step) : product.addingReportingOverflow(step)
      guard !overflow, !carry else { return nil }
      value = sum
    }
    return value
  }

  /// The nearest double, for display and charts; not exact enough for money or hours.
  public var approximate: Double { Double(text) ?? 0 }

  /// The number in hundredths; nil if it has more than two decimals or exceeds 64 bits.
  package var hundredths: Int64? {
    guard digits.isEmpty || exponent >= -2 else { return nil }
    return ExactDecimal(shifted(by: 2))?.integer
  }

  /// The number in tenths, rounded half away from zero as PostgreSQL's `round` does; nil for more than 17 digits
  /// before the point.
  package var tenthsRounded: Int64? {
    let count = digits.count + exponent + 1  // digits before the point after shifting it by one
    guard count <= 18 else { return nil }
    guard count >= 0 else { return 0 }
    let whole = (digits.prefix(count) + Array(repeating: 0, count: max(0, count - digits.count)))
      .reduce(Int64(0)) { $0 * 10 + Int64($1) }
    let rounded = whole + (count < digits.count && digits[count] >= 5 ? 1 : 0)
    return isNegative ? -rounded : rounded
  }

  private func shifted(by places: Int) -> String {
    let zeros = String(repeating: "0", count: max(0, digits.isEmpty ? 0 : exponent + places))
    let number = digits.isEmpty ? "0" : digits.map(String.init).joined() + zeros
    return isNegative ? "-\(number)" : number
  }

  /// The number of decimals as written: 2 of `1.50`.
  package var decimals: Int { max(0, -(Self.scan(text)?.exponent ?? 0)) }

  private static func scan(_ text: String) -> (isNegative: Bool, digits: [UInt8], exponent: Int)? {
    let bytes = Array(text.utf8)
    guard bytes.count <= longest else { return nil }
    var rest = bytes[...]
    func takeDigits() -> [UInt8] {
      let run = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest.dropFirst(run.count)
      return run.map { $0 - 0x30 }
    }
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest.removeFirst() }
    let whole = takeDigits()
    guard !whole.isEmpty, whole.count == 1 || whole[0] != 0 else { return nil }
    var fraction: [UInt8] = []
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = takeDigits()
      guard !fraction.isEmpty else { return nil }
    }
    var exponent = 0
    if let mark = rest.first, mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") {
      rest.removeFirst()
      let sign = rest.first
      if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest.removeFirst() }
      let power = takeDigits()
      guard !power.isEmpty, power.count <= 6 else { return nil }
      exponent = power.reduce(0) { $0 * 10 + Int($1) }
      if sign == UInt8(ascii: "-") { exponent = -exponent }
    }
    guard rest.isEmpty else { return nil }
    return (isNegative, whole + fraction, exponent - fraction.count)
  }
}

extension ExactDecimal: Hashable {
  /// True if the values are equal, such as `1.50` and `1.5`.
  public static func == (left: ExactDecimal, right: ExactDecimal) -> Bool {
    left.isNegative == right.isNegative && left.exponent == right.exponent && left.digits == right.digits
  }

  /// Hashes the value, so that equal numbers have equal hashes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(isNegative)
    hasher.combine(exponent)
    hasher.combine(digits)
  }
}

extension ExactDecimal: Comparable {
  /// Returns true if the left value is less.
  public static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
    guard left.isNegative == right.isNegative else { return left.isNegative }
    return left.isNegative ? right.magnitudeIsLess(than: left) : left.magnitudeIsLess(than: right)
  }

  private func magnitudeIsLess(than other: ExactDecimal) -> Bool {
    guard !digits.isEmpty, !other.digits.isEmpty else { return digits.isEmpty && !other.digits.isEmpty }
    let (point, otherPoint) = (digits.count + exponent, other.digits.count + other.exponent)
    return point == otherPoint ? digits.lexicographicallyPrecedes(other.digits) : point < otherPoint
  }
}

extension ExactDecimal: CustomStringConvertible, ExpressibleByIntegerLiteral {
  /// The number as written.
  public var description: String { text }

  /// Creates a number from an integer literal.
  public init(integerLiteral value: Int64) { self.init(value) }
}
