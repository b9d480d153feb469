/// A code that admits a person to a company: 60 random bits in Crockford's base 32, and a check character.
///
/// The code is shown once, as `7K3M-Q0XZ-PA2D-W`. Only a keyed hash of ``normalized`` is stored.
package struct InviteCode: Sendable, Hashable {
  /// The twelve secret characters in upper case, without dashes and check character.
  package let normalized: String

  /// Creates a code from random bytes. The first 60 bits are used.
  ///
  /// - Throws: `internal` for fewer than 8 bytes.
  package init(random bytes: [UInt8]) throws(DomainError) {
    guard bytes.count >= 8 else {
      throw DomainError(.internal, "an invite code requires 8 random bytes, not \(bytes.count)")
    }
    let bits = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 4
    normalized = String(
      (0..<12).map { Self.alphabet[Int(bits >> UInt64(55 - 5 * $0) & 31)] }
    )
  }

  /// Parses a code as people type it.
  ///
  /// Case, dashes and white space are ignored; the letter O means zero, and I and L mean one. The check
  /// character reveals one wrong character or two swapped neighbours without a database query.
  ///
  /// - Throws: `invalid_invite_code`.
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

  /// The code as shown to people: three groups of four characters, and the check character.
  package var grouped: String {
    let characters = Array(normalized)
    let groups = stride(from: 0, to: 12, by: 4).map { String(characters[$0..<$0 + 4]) }
    return (groups + [String(checkCharacter)]).joined(separator: "-")
  }

  /// The last two characters and the check character. They identify a code in a list without revealing it.
  package var hint: String { "…\(normalized.suffix(2))-\(checkCharacter)" }

  private var checkCharacter: Character {
    Self.checkAlphabet[Self.check(normalized.compactMap { Self.value(of: $0, isCheck: false) })]
  }

  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  private static let checkAlphabet = alphabet + Array("*~$=U")

  /// Returns Crockford's check value: the number modulo 37. The prime 37 is larger than the base 32, so a
  /// wrong character or two swapped neighbours always change it.
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
  /// The hint only, so that a log does not reveal the code.
  package var description: String { "invite code \(hint)" }
}
