internal import CLibCrypto

/// Time-based one-time passwords (RFC 6238) with HMAC-SHA-1 and steps of 30 seconds, which all authenticator
/// apps support.
package enum OneTimePassword {
  /// The length of a step in seconds.
  package static let period: Int64 = 30
  /// The number of bytes in a new secret, the length of an HMAC-SHA-1 as RFC 4226 recommends.
  package static let secretCount = 20
  /// The number of digits that authenticator apps show.
  package static let digits = 6

  /// Returns a new random secret.
  package static func secret() -> [UInt8] { SecureRandom.bytes(secretCount) }

  /// Returns the step of a Unix time in seconds.
  package static func step(at seconds: Int64) -> Int64 { seconds / period }

  /// Returns the code of a step (RFC 4226).
  ///
  /// - Parameter digits: 6 to 8.
  package static func code(_ secret: [UInt8], step: Int64, digits: Int = digits) -> String {
    let message = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * Int64($0))) }
    var hash = [UInt8](repeating: 0, count: 20)
    var count: UInt32 = 0
    // This cannot fail on allocated memory.
    _ = HMAC(EVP_sha1(), secret, Int32(secret.count), message, message.count, &hash, &count)
    let offset = Int(hash[19] & 0x0F)
    let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let limit = (0..<digits).reduce(UInt32(1)) { limit, _ in limit * 10 }
    let text = String(number % limit)
    return String(repeating: "0", count: digits - text.count) + text
  }

  /// Returns the step whose code was given: the current one, the one before or the one after, because clocks
  /// differ; nil for a wrong code. A caller refuses a step that was used before.
  ///
  /// All three codes are compared, so that the time does not tell which one was right.
  ///
  /// - Parameter seconds: the Unix time in seconds.
  package static func step(of code: String, _ secret: [UInt8], at seconds: Int64) -> Int64? {
    let given = Array(code.utf8)
    let current = step(at: seconds)
    var found: Int64?
    for step in [current - 1, current + 1, current]
    where constantTimeEqual(Array(Self.code(secret, step: step).utf8), given) {
      found = step
    }
    return found
  }
}
