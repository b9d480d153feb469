import FoundationEssentials
import Testing

@testable import Secrets

@Suite struct OneTimePasswordTests {
  private static let secret = Array("12345678901234567890".utf8)

  /// The vectors of RFC 6238, appendix B, for SHA-1.
  @Test(
    arguments: [
      (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
      (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
    ] as [(Int64, String)]
  )
  func `codes are those of RFC 6238`(_ seconds: Int64, _ code: String) {
    let step = OneTimePassword.step(at: seconds)
    #expect(OneTimePassword.code(Self.secret, step: step, digits: 8) == code)
    #expect(OneTimePassword.code(Self.secret, step: step) == code.suffix(6))
  }

  /// The vectors of RFC 4226, appendix D.
  @Test func `codes of the first steps are those of RFC 4226`() {
    let codes = [
      "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
    ]
    for (step, code) in codes.enumerated() {
      #expect(OneTimePassword.code(Self.secret, step: Int64(step)) == code)
    }
  }

  @Test func `a code is accepted in its step, the one before and the one after`() {
    let code = OneTimePassword.code(Self.secret, step: 100)
    #expect(OneTimePassword.step(of: code, Self.secret, at: 3_000) == 100)
    #expect(OneTimePassword.step(of: code, Self.secret, at: 2_970) == 100)
    #expect(OneTimePassword.step(of: code, Self.secret, at: 3_059) == 100)
    #expect(OneTimePassword.step(of: code, Self.secret, at: 2_969) == nil)
    #expect(OneTimePassword.step(of: code, Self.secret, at: 3_060) == nil)
    for wrong in ["", "0", "00000", code + "0", String(code.dropLast()), "abcdef", "\u{664}\u{664}\u{664}"] {
      #expect(OneTimePassword.step(of: wrong, Self.secret, at: 3_000) == nil)
    }
    #expect(OneTimePassword.secret().count == 20 && OneTimePassword.secret() != OneTimePassword.secret())
  }

  /// The vectors of RFC 4648, section 10, without padding.
  @Test(arguments: [
    ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
    ("foobar", "MZXW6YTBOI"),
  ])
  func `Base32 is that of RFC 4648`(_ text: String, _ encoded: String) {
    #expect(Base32.encode(text.utf8) == encoded)
  }

  @Test func `a recovery code is stored as a hash, and typed in any case, with or without hyphens`() {
    let user = UUID()
    let code = RecoveryCode.make()
    #expect(code.count == 19 && code.split(separator: "-").allSatisfy { $0.count == 4 })
    let hash = RecoveryCode.hash(code, of: user)
    #expect(RecoveryCode.hash(code.lowercased(), of: user) == hash)
    #expect(RecoveryCode.hash(" " + code.filter { $0 != "-" } + " ", of: user) == hash)
    #expect(RecoveryCode.hash(code, of: UUID()) != hash)
    #expect(RecoveryCode.hash(RecoveryCode.make(), of: user) != hash)
  }
}
