/// An exact decimal number: PostgreSQL's `numeric`.
///
/// ```swift
/// let limit = Numeric("19.90")
/// let sum: SQL = "select sum(price) from item where price > \(nullable: limit)"
/// let total = try tx.value(sum, as: Numeric?.self)
/// ```
///
/// A number keeps its scale: `1.50` is read back as `1.50`. Two numbers are equal if their values are,
/// regardless of trailing zeros. There is no arithmetic; use SQL, or convert the text.
public struct Numeric: Sendable {
  enum Special: UInt16, Sendable {
    case finite = 0
    case nan = 0xC000
    case infinity = 0xD000
    case negativeInfinity = 0xF000
  }

  let special: Special
  let isNegative: Bool
  /// Groups of four decimal digits, most significant first.
  let groups: [UInt16]
  /// The power of 10,000 of the first group.
  let weight: Int
  /// Number of digits after the point.
  let scale: Int

  init(special: Special, isNegative: Bool = false, groups: [UInt16] = [], weight: Int = 0, scale: Int = 0) {
    let first = groups.firstIndex { $0 != 0 } ?? groups.endIndex
    let end = groups.lastIndex { $0 != 0 }.map { $0 + 1 } ?? first
    // Normalised without zero groups at either end, so that equal values have equal groups.
    self.groups = Array(groups[first..<max(first, end)])
    self.weight = self.groups.isEmpty ? 0 : weight - first
    self.isNegative = isNegative && !self.groups.isEmpty
    self.special = special
    self.scale = scale
  }

  /// Not a number. Equal to itself, as in PostgreSQL.
  public static let nan = Numeric(special: .nan)
  /// Greater than every finite number.
  public static let infinity = Numeric(special: .infinity)
  /// Less than every finite number.
  public static let negativeInfinity = Numeric(special: .negativeInfinity)

  /// Creates a whole number.
  public init(_ integer: Int) {
    var rest = integer.magnitude
    var groups: [UInt16] = []
    while rest > 0 {
      groups.append(UInt16(rest % 10_000))
      rest /= 10_000
    }
    self.init(special: .finite, isNegative: integer < 0, groups: groups.reversed(), weight: groups.count - 1)
  }
}

extension Numeric: Hashable {
  /// Returns true if the values are equal; NaN equals itself, as in PostgreSQL.
  public static func == (left: Numeric, right: Numeric) -> Bool {
    left.special == right.special && left.isNegative == right.isNegative && left.weight == right.weight
      && left.groups == right.groups
  }

  /// Hashes the value without its trailing zeros.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(special)
    hasher.combine(isNegative)
    hasher.combine(weight)
    hasher.combine(groups)
  }
}

extension Numeric: PostgresEncodable, PostgresDecodable {
  private static let negative: UInt16 = 0x4000

  /// `numeric`.
  public static var postgresType: PostgresType { .numeric }

  /// Appends the number of groups of four digits, the weight, the sign and the scale, then the groups.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(Int16(truncatingIfNeeded: groups.count))
    buffer.append(Int16(truncatingIfNeeded: weight))
    buffer.append(special == .finite && isNegative ? Self.negative : special.rawValue)
    buffer.append(Int16(truncatingIfNeeded: scale))
    for group in groups { buffer.append(group) }
  }

  /// Reads `numeric`; any other type, integers included, is an error.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    guard cell.type == PostgresType.numeric.oid else { throw cell.mismatch(Numeric.self) }
    let raw = try cell.value(Numeric.self)
    func word(_ index: Int) -> UInt16 {
      UInt16(bigEndian: raw.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
    }
    guard raw.count >= 8, raw.count == 8 + 2 * Int(word(0)) else {
      throw cell.failure("is a truncated number")
    }
    let sign = word(2)
    if sign == 0 || sign == Self.negative {
      self.init(
        special: .finite,
        isNegative: sign == Self.negative,
        groups: (0..<Int(word(0))).map { word(4 + $0) },
        weight: Int(Int16(bitPattern: word(1))),
        scale: Int(word(3))
      )
    } else if let special = Special(rawValue: sign) {
      self.init(special: special)
    } else {
      throw cell.failure("is a number of an unknown type")
    }
  }
}
