package import FoundationEssentials

/// A link that lets its bearer see or edit one plan, `fts_<company and owner>_<secret><crc>`.
///
/// Company and owner are carried in clear, because rows private to their owner cannot be looked up before both are
/// known; they open nothing without the secret, which has 256 bits and of which only the hash is stored.
package struct ShareLink: Sendable, Equatable {
  /// The company that the plan is in.
  package let company: UUID
  /// Whose plan it is.
  package let owner: UUID
  /// The whole link, to be shown once and then forgotten.
  package let text: String

  private static let prefix = "fts_"
  private static let checksumWidth = 6

  /// A new link with a fresh secret.
  package static func make(company: UUID, owner: UUID) -> ShareLink {
    let secret = SecureRandom.bytes(32)
    let halves = [secret.prefix(16), secret.suffix(16)].map { half in
      Base62.encode(half.reduce(0) { $0 << 8 | UInt128($1) })
    }
    let body = prefix + Base62.encode(company.number) + Base62.encode(owner.number) + "_" + halves.joined()
    return ShareLink(company: company, owner: owner, text: body + checksum(of: body))
  }

  /// The link behind the text, or `malformedToken` without saying which part is wrong.
  package static func parse(_ text: String) throws(SecretsError) -> ShareLink {
    let bytes = Array(text.utf8)
    let start = prefix.utf8.count
    let separator = start + 2 * Base62.width
    let checksumStart = separator + 1 + 2 * Base62.width
    let sum = checksum(of: String(decoding: bytes.prefix(checksumStart), as: UTF8.self))
    guard
      bytes.count == checksumStart + checksumWidth,
      text.hasPrefix(prefix),
      bytes[separator] == UInt8(ascii: "_"),
      sum.utf8.elementsEqual(bytes[checksumStart...]),
      let company = Base62.decode(bytes[start..<start + Base62.width]),
      let owner = Base62.decode(bytes[start + Base62.width..<separator])
    else {
      throw SecretsError(
        .malformedToken,
        "this is not a complete share link",
        hint: "copy it whole: fts_ and \(checksumStart + checksumWidth - start) more characters"
      )
    }
    return ShareLink(company: UUID(number: company), owner: UUID(number: owner), text: text)
  }

  /// What is stored: the SHA-256 of the whole text.
  package var hash: [UInt8] { SHA256.hash(text) }

  private static func checksum(of body: String) -> String {
    Base62.encode(UInt128(CRC32.checksum(body.utf8)), width: checksumWidth)
  }
}

extension ShareLink: CustomStringConvertible, CustomReflectable {
  /// The link without its secret, for logs.
  package var description: String { "share link of \(owner)" }

  package var customMirror: Mirror { Mirror(self, children: ["company": company]) }
}
