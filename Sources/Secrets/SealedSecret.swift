internal import CLibCrypto

/// A secret as the database stores it: encrypted with AES-256-GCM under the key ``Keys/Purpose/vault``, and
/// bound to the row that holds it.
///
/// The bytes are: 1 (the format), the key's version in 4 bytes, a random nonce of 12 bytes, the ciphertext,
/// and the tag of 16 bytes. After a rotation, a new secret is encrypted with the new key, and an old one is
/// decrypted with its own version until it is set again.
package enum SealedSecret {
  private static let format: UInt8 = 1
  private static let headCount = 5
  private static let nonceCount = 12
  private static let tagCount = 16

  /// Returns the encrypted secret.
  ///
  /// - Parameter place: identifies the row, such as the ids of company and webhook; required again to decrypt.
  package static func seal(
    _ secret: [UInt8],
    for place: String,
    with keys: Keys
  ) throws(SecretsError) -> [UInt8] {
    let key = keys.current(.vault)
    let nonce = SecureRandom.bytes(nonceCount)
    let number = UInt32(truncatingIfNeeded: key.number)
    let head = [format] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
    var tag = [UInt8](repeating: 0, count: tagCount)
    let text = try run(isEncryption: true, secret, key.bytes, nonce, head + Array(place.utf8), &tag)
    return head + nonce + text + tag
  }

  /// Returns the secret.
  ///
  /// - Throws: `secretSealed` if the key's version is missing, or the bytes are damaged or of another row.
  package static func open(
    _ bytes: [UInt8],
    for place: String,
    with keys: Keys
  ) throws(SecretsError) -> [UInt8] {
    guard bytes.count >= headCount + nonceCount + tagCount, bytes[0] == format else {
      throw SecretsError(.secretSealed, "a stored secret is not encrypted as expected")
    }
    let head = Array(bytes.prefix(headCount))
    let number = head.dropFirst().reduce(0) { $0 << 8 | Int($1) }
    guard let key = keys.version(number, of: .vault) else {
      throw SecretsError(
        .secretSealed,
        "the key file has no version \(number) of the vault key",
        hint: "restore the line from your backup of the key file, or set the secret again"
      )
    }
    let rest = bytes.dropFirst(headCount)
    var tag = Array(rest.suffix(tagCount))
    return try run(
      isEncryption: false,
      Array(rest.dropFirst(nonceCount).dropLast(tagCount)),
      key.bytes,
      Array(rest.prefix(nonceCount)),
      head + Array(place.utf8),
      &tag
    )
  }

  /// Encrypts or decrypts in one step. Decryption fails if the tag does not match.
  private static func run(
    isEncryption: Bool,
    _ input: [UInt8],
    _ key: [UInt8],
    _ nonce: [UInt8],
    _ authenticated: [UInt8],
    _ tag: inout [UInt8]
  ) throws(SecretsError) -> [UInt8] {
    guard let context = EVP_CIPHER_CTX_new() else { throw failed }
    defer { EVP_CIPHER_CTX_free(context) }
    var output = [UInt8](repeating: 0, count: input.count)
    var count: Int32 = 0
    let direction: Int32 = isEncryption ? 1 : 0
    guard EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce, direction) == 1,
      EVP_CipherUpdate(context, nil, &count, authenticated, Int32(authenticated.count)) == 1,
      EVP_CipherUpdate(context, &output, &count, input, Int32(input.count)) == 1
    else { throw failed }
    let tagLength = Int32(tagCount)
    if !isEncryption {
      guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tagLength, &tag) == 1 else { throw failed }
    }
    // GCM writes nothing at the end; for decryption, this compares the tag.
    var none = [UInt8](repeating: 0, count: tagCount)
    guard EVP_CipherFinal_ex(context, &none, &count) == 1 else { throw failed }
    if isEncryption {
      guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tagLength, &tag) == 1 else { throw failed }
    }
    return output
  }

  private static let failed = SecretsError(
    .secretSealed,
    "a stored secret cannot be decrypted: it is damaged, or of another key or row",
    hint: "set the secret again"
  )
}
