package import FoundationEssentials

/// An API token, `ftl_<id>_<secret><crc>`.
///
/// The id part carries company and token in clear, so that the company's context can be set before the token
/// is looked up; the secret has 256 bits; the checksum finds typing errors without asking the database and
/// makes leaked tokens easy to scan for. Only `hash` is ever stored.
package struct APIToken: Sendable, Equatable {
  /// The company that the token acts in.
  package let company: UUID
  /// The token's row.
  package let id: UUID
  /// The whole token, to be shown once and then forgotten.
  package let text: String

  private static let prefix = "ftl_"
  private static let checksumWidth = 6

  /// A new token with a fresh secret.
  package static func make(company: UUID, id: UUID) -> APIToken {
    let secret = SecureRandom.bytes(32)
    let halves = [secret.prefix(16), secret.suffix(16)].map { half in
      Base62.encode(half.reduce(0) { $0 << 8 | UInt128($1) })
    }
    let body = prefix + Base62.encode(company.number) + Base62.encode(id.number) + "_" + halves.joined()
    return APIToken(company: company, id: id, text: body + checksum(of: body))
  }

  /// The token behind the text, or `malformedToken` without saying which part is wrong.
  package static func parse(_ text: String) throws(SecretsError) -> APIToken {
    let bytes = Array(text.utf8)
    let idStart = prefix.utf8.count
    let separator = idStart + 2 * Base62.width
    let checksumStart = separator + 1 + 2 * Base62.width
    let sum = checksum(of: String(decoding: bytes.prefix(checksumStart), as: UTF8.self))
    guard
      bytes.count == checksumStart + checksumWidth,
      text.hasPrefix(prefix),
      bytes[separator] == UInt8(ascii: "_"),
      sum.utf8.elementsEqual(bytes[checksumStart...]),
      let company = Base62.decode(bytes[idStart..<idStart + Base62.width]),
      let id = Base62.decode(bytes[idStart + Base62.width..<separator])
    else {
      throw SecretsError(
        .malformedToken,
        "this is not a complete API token",
        hint: "copy it whole: ftl_ and \(checksumStart + checksumWidth - idStart) more characters"
      )
    }
    return APIToken(company: UUID(number: company), id: UUID(number: id), text: text)
  }

  /// What is stored: the SHA-256 of the whole text. A 256-bit secret needs no slow hash.
  package var hash: [UInt8] { SHA256.hash(text) }

  /// Whether the stored hash is this token's.
  package func matches(_ stored: [UInt8]) -> Bool { constantTimeEqual(hash, stored) }

  private static func checksum(of body: String) -> String {
    Base62.encode(UInt128(CRC32.checksum(body.utf8)), width: checksumWidth)
  }
}

extension APIToken: CustomStringConvertible, CustomReflectable {
  /// The token without its secret, for logs.
  package var description: String { "API token \(id)" }

  package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
