/// A code that lets somebody into a company: 60 bits in Crockford's base 32, and a character that catches typing
/// errors.
///
/// It is shown once, as `7K3M-Q0XZ-PA2D-W`; only a keyed hash of ``normalized`` is stored.
package struct InviteCode: Sendable, Hashable {
  /// The twelve characters that are the secret, in capitals without dashes.
  package let normalized: String

  /// Makes a code of eight random bytes, of which it takes the first 60 bits.
  package init(random bytes: [UInt8]) throws(DomainError) {
    guard bytes.count >= 8 else { throw DomainError(.internal, "An invite code needs 60 random bits") }
    let bits = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 4
    normalized = String(
      (0..<12).map { Self.alphabet[Int(bits >> UInt64(55 - 5 * $0) & 31)] }
    )
  }

  /// Reads a code as people type it: in any case, with or without dashes and spaces, O for zero, I or L for one.
  ///
  /// A code with one character wrong, or two neighbours swapped, is refused here, before any database is asked.
  package init(parsing text: String) throws(DomainError) {
    var values: [Int] = []
    for character in text.uppercased() where character != "-" && !character.isWhitespace {
      guard values.count < 13, let value = Self.value(of: character, isCheck: values.count == 12) else {
        throw DomainError(.invalidInviteCode)
      }
      values.append(value)
    }
    guard values.count == 13, Self.check(values.dropLast()) == values[12] else {
      throw DomainError(.invalidInviteCode)
    }
    normalized = String(values.dropLast().map { Self.alphabet[$0] })
  }

  /// The code as it is shown: three groups of four and the check character.
  package var grouped: String {
    let characters = Array(normalized)
    let groups = stride(from: 0, to: 12, by: 4).map { String(characters[$0..<$0 + 4]) }
    return (groups + [String(checkCharacter)]).joined(separator: "-")
  }

  /// The last characters, by which people tell their codes apart in a list without learning them.
  package var hint: String { "…\(normalized.suffix(2))-\(checkCharacter)" }

  private var checkCharacter: Character {
    Self.checkAlphabet[Self.check(normalized.compactMap { Self.value(of: $0, isCheck: false) })]
  }

  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  private static let checkAlphabet = alphabet + Array("*~$=U")

  /// Crockford's check: the number modulo 37, a prime larger than the base, so that every wrong character and
  /// every swap of neighbours changes it.
  private static func check(_ values: some Sequence<Int>) -> Int {
    values.reduce(0) { ($0 * 32 + $1) % 37 }
  }

  private static func value(of character: Character, isCheck: Bool) -> Int? {
    switch character {
    case "O": 0
    case "I", "L": 1
    default: (isCheck ? checkAlphabet : alphabet).firstIndex(of: character)
    }
  }
}

extension InviteCode: CustomStringConvertible {
  /// The hint, so that a code that ends up in a log is of no use there.
  package var description: String { "invite code \(hint)" }
}
