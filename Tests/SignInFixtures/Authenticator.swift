internal import Glibc
internal import Secrets

/// An authenticator app with one secret.
package struct Authenticator: Sendable {
  private let secret: [UInt8]
  /// The step of the time at which the secret was entered.
  private let begun = OneTimePassword.step(at: Int64(time(nil)))

  /// - Parameter base32: the secret as `POST /v1/me/totp` returns it.
  package init(base32: String) {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var bytes: [UInt8] = []
    var (bits, pending) = (UInt32(0), 0)
    for character in base32 {
      bits = (bits & 0xFFFF) << 5 | UInt32(digits.firstIndex(of: character) ?? 0)
      pending += 5
      if pending >= 8 {
        pending -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(pending)))
      }
    }
    secret = bytes
  }

  /// Returns a code for the step before the one at which the secret was entered, that step, or the one after. The server
  /// accepts all three, each once and in this order, so that a test need not wait.
  package func code(_ use: Use) -> String {
    OneTimePassword.code(secret, step: begun + Int64(use.rawValue))
  }

  /// A use of the app.
  package enum Use: Int, Sendable {
    case first = -1
    case second = 0
    case third = 1
  }
}
