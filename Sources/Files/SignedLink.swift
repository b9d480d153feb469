package import FoundationEssentials
package import Secrets

/// A link that gives its bearer one file for at most 15 minutes.
///
/// The text contains the company, the file, the digest of its bytes, the variant and the time of expiry, and a code
/// over all of them (HMAC-SHA256 with the key of the purpose `link`). Nothing is stored.
package struct SignedLink: Sendable, Equatable {
  /// The longest validity in seconds.
  package static let longestValidity = 900

  /// The version of the file.
  package enum Variant: UInt8, Sendable, CaseIterable {
    /// The prepared file.
    case content = 1
    /// The thumbnail.
    case thumbnail = 2
  }

  /// The company of the file.
  package let company: UUID
  /// The file.
  package let file: UUID
  /// The owner of the private record; nil if the record belongs to the company.
  package let owner: UUID?
  /// The version of the file.
  package let variant: Variant
  /// The SHA-256 of the bytes. If the file has other bytes later, the link does not show them.
  package let digest: [UInt8]
  /// The time of expiry, in seconds since 1970.
  package let expires: Int64

  /// - Precondition: the digest has 32 bytes.
  package init(company: UUID, file: UUID, owner: UUID?, variant: Variant, digest: [UInt8], expires: Int64) {
    precondition(digest.count == 32, "a SHA-256 has 32 bytes")
    self.company = company
    self.file = file
    self.owner = owner
    self.variant = variant
    self.digest = digest
    self.expires = expires
  }

  private static let format: UInt8 = 1
  private static let codeSize = 32
  private static let bodySize = 1 + 1 + 4 + 8 + 16 + 16 + 16 + 32

  /// Returns the text of the link, in characters that need no escape in a URL.
  package func text(_ keys: Keys) -> String {
    let key = keys.current(.link)
    let body = body(key.number)
    return Base64.encode(body + HMACSHA256.code(for: Self.context + body, key: key.bytes), alphabet: .url)
  }

  /// Parses a link and checks its code. Does not check the expiry.
  ///
  /// - Throws: `invalidLink`, without naming the part that is wrong.
  package init(parsing text: String, _ keys: Keys) throws(FilesError) {
    let refusal = FilesError(.invalidLink, "the link is incomplete or was not made here")
    guard text.utf8.count < 300, let bytes = Base64.decode(text, alphabet: .url),
      bytes.count == Self.bodySize + Self.codeSize,
      bytes[0] == Self.format
    else { throw refusal }
    let (body, code) = (Array(bytes.prefix(Self.bodySize)), Array(bytes.suffix(Self.codeSize)))
    let number = body[2..<6].reduce(0) { $0 << 8 | Int($1) }
    guard let key = keys.version(number, of: .link),
      HMACSHA256.isValid(code, for: Self.context + body, key: key.bytes),
      let variant = Variant(rawValue: body[1])
    else { throw refusal }
    let owner = Self.id(body[46..<62])
    self.init(
      company: Self.id(body[14..<30]),
      file: Self.id(body[30..<46]),
      owner: owner == Self.nobody ? nil : owner,
      variant: variant,
      digest: Array(body[62..<94]),
      expires: Int64(bitPattern: body[6..<14].reduce(0) { $0 << 8 | UInt64($1) })
    )
  }

  /// Separates these codes from others that are made with the same key.
  private static let context = Array("fettle.file-link.1".utf8)
  private static let nobody = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

  private func body(_ key: Int) -> [UInt8] {
    [Self.format, variant.rawValue] + Self.bytes(UInt32(truncatingIfNeeded: key).bigEndian)
      + Self.bytes(expires.bigEndian) + Self.bytes(company.uuid) + Self.bytes(file.uuid)
      + Self.bytes((owner ?? Self.nobody).uuid) + digest
  }

  private static func bytes<Value>(_ value: Value) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

  private static func id(_ bytes: ArraySlice<UInt8>) -> UUID {
    let b = Array(bytes)
    return UUID(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
      )
    )
  }
}
