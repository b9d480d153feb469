import TestTools
import Testing

@testable import Domain

@Suite struct InviteTests {
  private static func code(seed: UInt64) throws -> InviteCode {
    var generator = SeededRandom(seed: seed)
    return try InviteCode(random: (0..<8).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  @Test(arguments: Seed.several)
  func `a code reads back in every way people write it`(seed: UInt64) throws {
    let code = try Self.code(seed: seed)
    #expect(code.grouped.split(separator: "-").map(\.count) == [4, 4, 4, 1])
    let sloppy = code.grouped.lowercased().replacing("0", with: "o").replacing("1", with: "l")
    for text in [
      code.grouped, code.grouped.lowercased(), code.grouped.replacing("-", with: ""), " \(code.grouped) ",
      code.grouped.replacing("-", with: " "), sloppy, sloppy.replacing("l", with: "I"),
    ] {
      #expect(try InviteCode(parsing: text) == code, "\(text)")
    }
  }

  @Test(arguments: Seed.several)
  func `every wrong character and every swap of neighbours is noticed`(seed: UInt64) throws {
    let code = try Self.code(seed: seed)
    let characters = Array(code.grouped.replacing("-", with: ""))
    for index in characters.indices {
      for wrong in "0123456789ABCDEFGHJKMNPQRSTVWXYZ" where wrong != characters[index] {
        var typed = characters
        typed[index] = wrong
        #expect(refusal { _ = try InviteCode(parsing: String(typed)) }?.code == .invalidInviteCode)
      }
      guard index > 0, characters[index] != characters[index - 1] else { continue }
      var typed = characters
      typed.swapAt(index, index - 1)
      #expect(refusal { _ = try InviteCode(parsing: String(typed)) }?.code == .invalidInviteCode)
    }
  }

  @Test func `a code holds 60 bits and no more`() throws {
    #expect(try InviteCode(random: Array(repeating: 0, count: 8)).grouped == "0000-0000-0000-0")
    #expect(try InviteCode(random: Array(repeating: 255, count: 8)).normalized == "ZZZZZZZZZZZZ")
    let bytes: [UInt8] = [0b0000_1000, 0b1000_0000, 0, 0, 0, 0, 0, 0b0001_1111]
    #expect(try InviteCode(random: bytes).normalized == "120000000001")
    #expect(refusal { _ = try InviteCode(random: [1, 2, 3]) }?.code == .internal)
  }

  @Test(arguments: ["", "AAAA", "AAAA-AAAA-AAAA-AA", "UUUU-UUUU-UUUU-U", "ÄÄÄÄ-ÄÄÄÄ-ÄÄÄÄ-Ä"])
  func `a malformed code is refused`(text: String) {
    #expect(refusal { _ = try InviteCode(parsing: text) }?.code == .invalidInviteCode)
  }

  @Test func `a code in a log gives nothing away`() throws {
    let code = try Self.code(seed: 1)
    #expect(!"\(code)".contains(code.normalized))
    #expect(!"\(code)".contains(code.normalized.prefix(6)))
  }

  @Test func `an invite is active until it is revoked, used up or too old`() {
    let now = Fixture.now
    let later = Instant(microseconds: now.microseconds + 1)
    #expect(Invite(role: "user", expires: later).state(at: now) == .active)
    #expect(Invite(role: "user", expires: now).state(at: now) == .expired)
    #expect(Invite(role: "user", maximumUses: 2, uses: 1, expires: later).state(at: now) == .active)
    #expect(Invite(role: "user", maximumUses: 2, uses: 2, expires: now).state(at: now) == .exhausted)
    #expect(Invite(role: "user", uses: 1, expires: now, revoked: now).state(at: now) == .revoked)
  }

  @Test func `an invite has one use and fourteen days unless told`() throws {
    let role = Role(name: "user", permissions: Fixture.permissions("a.b"), isCustom: false)
    let invite = try Invite.issue(role: role, by: Fixture.permissions("a.b"), at: Fixture.now)
    #expect(invite.maximumUses == 1)
    #expect(Fixture.now.microseconds(until: invite.expires) == 14 * 86_400_000_000)
  }

  @Test func `an invite exceeds neither the inviter's permissions nor the limits of uses and lifetime`() {
    let role = Role(name: "admin", permissions: Fixture.permissions("a.b", "c.d"), isCustom: false)
    let held = Fixture.permissions("a.b")
    let all = role.permissions
    #expect(refusal { _ = try Invite.issue(role: role, by: held, at: Fixture.now) }?.code == .grantExceedsOwn)
    for uses in [0, -1, 1001] {
      #expect(
        refusal { _ = try Invite.issue(role: role, by: all, at: Fixture.now, uses: uses) }?.code
          == .invalidInput
      )
    }
    for days in [0, -1, 367] as [Int64] {
      let lifetime = days * 86_400_000_000
      let error = refusal { _ = try Invite.issue(role: role, by: all, at: Fixture.now, lifetime: lifetime) }
      #expect(error?.code == .invalidInput)
    }
  }
}
