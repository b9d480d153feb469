internal import FoundationEssentials

/// The text of a bearer secret with two ids in clear: `<prefix><id><id>_<secret><checksum>`.
///
/// The ids are readable, so that the row can be looked up inside its company; without the secret they grant
/// nothing. The secret has 256 bits. The checksum finds typing errors without a query, and makes it easy to
/// scan texts for leaked secrets. Only ``hash`` is stored.
struct ClearToken: Sendable, Equatable {
  /// The prefix and the noun of a kind of bearer secret.
  struct Kind: Sendable, Equatable {
    let prefix: String
    /// The noun in error messages.
    let noun: String
  }

  let first: UUID
  let second: UUID
  let text: String

  /// The number of bytes in a secret.
  static let secretCount = 32
  private static let checksumWidth = 6

  private init(_ first: UUID, _ second: UUID, text: String) {
    self.first = first
    self.second = second
    self.text = text
  }

  /// Creates a token with a secret of 32 bytes, which is random unless given.
  init(_ kind: Kind, _ first: UUID, _ second: UUID, secret: [UInt8] = SecureRandom.bytes(secretCount)) {
    let halves = [secret.prefix(16), secret.suffix(16)].map { half in
      Base62.encode(half.reduce(0) { $0 << 8 | UInt128($1) })
    }
    let body =
      kind.prefix + Base62.encode(first.number) + Base62.encode(second.number) + "_" + halves.joined()
    self.init(first, second, text: body + Self.checksum(of: body))
  }

  /// Parses a token.
  ///
  /// - Throws: `malformedToken`, without naming the part that is wrong.
  init(_ kind: Kind, parsing text: String) throws(SecretsError) {
    let bytes = Array(text.utf8)
    let start = kind.prefix.utf8.count
    let separator = start + 2 * Base62.width
    let checksumStart = separator + 1 + 2 * Base62.width
    let sum = Self.checksum(of: String(decoding: bytes.prefix(checksumStart), as: UTF8.self))
    guard
      bytes.count == checksumStart + Self.checksumWidth,
      text.hasPrefix(kind.prefix),
      bytes[separator] == UInt8(ascii: "_"),
      sum.utf8.elementsEqual(bytes[checksumStart...]),
      let first = Base62.decode(bytes[start..<start + Base62.width]),
      let second = Base62.decode(bytes[start + Base62.width..<separator])
    else {
      throw SecretsError(
        .malformedToken,
        "the \(kind.noun) is incomplete or mistyped",
        hint:
          "copy the whole text: \(kind.prefix) and \(checksumStart + Self.checksumWidth - start) more characters"
      )
    }
    self.init(UUID(number: first), UUID(number: second), text: text)
  }

  /// The form that is stored: the SHA-256 of the whole text. A secret of 256 bits needs no slow hash.
  var hash: [UInt8] { SHA256.hash(text) }

  /// The 32 bytes of the secret; nil if the text has digits beyond them.
  var secret: [UInt8]? {
    let digits = Array(text.utf8).dropLast(Self.checksumWidth).suffix(2 * Base62.width)
    guard let high = Base62.decode(digits.prefix(Base62.width)),
      let low = Base62.decode(digits.suffix(Base62.width))
    else { return nil }
    return [high, low].flatMap { half in (0..<16).map { UInt8(truncatingIfNeeded: half >> (120 - 8 * $0)) } }
  }

  private static func checksum(of body: String) -> String {
    Base62.encode(UInt128(CRC32.checksum(body.utf8)), width: checksumWidth)
  }
}
