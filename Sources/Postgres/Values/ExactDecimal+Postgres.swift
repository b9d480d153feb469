extension ExactDecimal: PostgresEncodable, PostgresDecodable {
  /// The sign of a negative number; zero is that of others, and further values stand for NaN and the infinities.
  private static let negative: UInt16 = 0x4000

  /// `numeric`.
  public static var postgresType: PostgresType { .numeric }

  /// Appends the number of groups of four digits, the power of 10,000 of the first one, the sign and the number of
  /// decimals, then the groups.
  public func encode(into buffer: inout ParameterBuffer) {
    // Padded to whole groups on both sides of the point.
    let last = (exponent - (exponent & 3)) / 4
    let back = exponent & 3
    let front = (4 - (digits.count + back) % 4) % 4
    let all = Array(repeating: 0, count: front) + digits + Array(repeating: 0, count: back)
    let groups = digits.isEmpty ? 0 : all.count / 4
    buffer.append(Int16(groups))
    buffer.append(Int16(groups == 0 ? 0 : last + groups - 1))
    buffer.append(isNegative ? Self.negative : 0)
    buffer.append(Int16(decimals))
    for start in stride(from: 0, to: groups * 4, by: 4) {
      buffer.append(all[start..<start + 4].reduce(UInt16(0)) { $0 * 10 + UInt16($1) })
    }
  }

  /// Reads `numeric`; any other type, integers included, NaN, the infinities, and numbers beyond the range of
  /// ``ExactDecimal`` are errors.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    guard cell.type == PostgresType.numeric.oid else { throw cell.mismatch(ExactDecimal.self) }
    let raw = try cell.value(ExactDecimal.self)
    func word(_ index: Int) -> UInt16 {
      UInt16(bigEndian: raw.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
    }
    guard raw.count >= 8, raw.count == 8 + 2 * Int(word(0)) else {
      throw cell.failure("is a truncated number")
    }
    let (sign, weight, scale) = (word(2), Int(Int16(bitPattern: word(1))), Int(word(3)))
    guard sign == 0 || sign == Self.negative else { throw cell.failure("is not a finite number") }
    /// Returns the four digits of a power of 10,000.
    func group(_ power: Int) -> Substring {
      let index = weight - power
      return "\(10_000 + (index >= 0 && index < Int(word(0)) ? Int(word(4 + index)) : 0))".dropFirst()
    }
    let whole = stride(from: max(weight, 0), through: 0, by: -1).map(group).joined()
    let fraction = stride(from: -1, through: -(scale + 3) / 4, by: -1).map(group).joined().prefix(scale)
    let digits = whole.drop { $0 == "0" }
    let text = "\(sign == 0 ? "" : "-")\(digits.isEmpty ? "0" : digits)\(scale > 0 ? ".\(fraction)" : "")"
    guard let number = ExactDecimal(text) else {
      throw cell.failure("has more than 64 digits, or is out of range")
    }
    self = number
  }
}
