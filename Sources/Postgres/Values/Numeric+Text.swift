extension Numeric {
  /// PostgreSQL's limits for the digits before and after the point.
  private static let limit = (whole: 131_072, fraction: 16_383)

  /// Creates a number from text such as `-1234.50`, `+7`, `NaN`, `Infinity` or `-Infinity`; `nil` for any
  /// other form, such as `.5`, `5.` and exponents, and for more than 131,072 digits before or 16,383 after
  /// the point.
  ///
  /// The scale is kept: `1.50` has two digits after the point.
  public init?(_ text: String) {
    switch text {
    case "NaN": self = .nan
    case "Infinity": self = .infinity
    case "-Infinity": self = .negativeInfinity
    default: self.init(digits: Array(text.utf8))
    }
  }

  private init?(digits text: [UInt8]) {
    var rest = text[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    let parts = rest.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, parts.count == 1 || !(parts[1].isEmpty) else { return nil }
    let fraction = parts.count > 1 ? parts[1] : []
    guard !whole.isEmpty, whole.count <= Self.limit.whole, fraction.count <= Self.limit.fraction else {
      return nil
    }
    guard whole.allSatisfy(Self.isDigit), fraction.allSatisfy(Self.isDigit) else { return nil }
    // Padded to whole groups on both sides of the point.
    let front = (4 - whole.count % 4) % 4
    let back = (4 - fraction.count % 4) % 4
    let zero = UInt8(ascii: "0")
    let all = Array(repeating: zero, count: front) + whole + fraction + Array(repeating: zero, count: back)
    let groups = stride(from: 0, to: all.count, by: 4).map { start in
      all[start..<start + 4].reduce(UInt16(0)) { $0 * 10 + UInt16($1 - zero) }
    }
    self.init(
      special: .finite,
      isNegative: isNegative,
      groups: groups,
      weight: (whole.count + front) / 4 - 1,
      scale: fraction.count
    )
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  /// Returns the group for a power of 10,000.
  private func group(_ power: Int) -> UInt16 {
    let index = weight - power
    return groups.indices.contains(index) ? groups[index] : 0
  }
}

extension Numeric: CustomStringConvertible {
  /// The number in digits, as PostgreSQL prints it: `-1234.50`, `NaN`, `Infinity` or `-Infinity`.
  public var description: String {
    switch special {
    case .nan: return "NaN"
    case .infinity: return "Infinity"
    case .negativeInfinity: return "-Infinity"
    case .finite: break
    }
    var text = isNegative ? "-" : ""
    text += groups.isEmpty || weight < 0 ? "0" : String(group(weight))
    if !groups.isEmpty && weight > 0 {
      for power in stride(from: weight - 1, through: 0, by: -1) { text += padded(Int(group(power)), 4) }
    }
    guard scale > 0 else { return text }
    var fraction = ""
    for power in 1...(scale + 3) / 4 { fraction += padded(Int(group(-power)), 4) }
    return "\(text).\(fraction.prefix(scale))"
  }
}

extension Numeric: Comparable {
  /// Returns true if the left value is less; NaN is greater than every other number, as in PostgreSQL.
  public static func < (left: Numeric, right: Numeric) -> Bool {
    if left.special != .finite || right.special != .finite { return left.rank < right.rank }
    if left.isNegative != right.isNegative { return left.isNegative }
    return left.isNegative ? right.magnitudeIsLess(than: left) : left.magnitudeIsLess(than: right)
  }

  private var rank: Int {
    switch special {
    case .negativeInfinity: -1
    case .finite: 0
    case .infinity: 1
    case .nan: 2
    }
  }

  private func magnitudeIsLess(than other: Numeric) -> Bool {
    guard !groups.isEmpty, !other.groups.isEmpty else { return groups.isEmpty && !other.groups.isEmpty }
    guard weight == other.weight else { return weight < other.weight }
    return groups.lexicographicallyPrecedes(other.groups)
  }
}
