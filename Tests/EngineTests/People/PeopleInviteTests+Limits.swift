import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Secrets
import Store
import Testing

/// How often somebody may try codes.
extension PeopleInviteTests {
  @Test func `after ten failures an account is refused even with a good code, and others are not`()
    async throws
  {
    let fixture = try await PeopleFixture.open()
    let invite = try await fixture.invites.create(fixture.acting, role: "user", uses: 2)
    let ana = fixture.email("ana")
    for number in 0..<10 {
      let wrong = try InviteCode(random: Array(UUID().uuidString.utf8.suffix(8))).grouped
      #expect(
        try await refusal {
          try await fixture.invites.redeem(
            code: wrong,
            email: ana,
            name: "Ana",
            source: "\(fixture.slug)-\(number)"
          )
        } == .inviteRefused
      )
    }
    #expect(
      try await refusal {
        try await fixture.invites.redeem(
          code: invite.code,
          email: ana,
          name: "Ana",
          source: "\(fixture.slug)-x"
        )
      } == .inviteRefused
    )
    #expect(
      try await refusal {
        try await fixture.invites.redeem(
          code: invite.code,
          email: fixture.email("olle"),
          name: "Olle",
          source: "\(fixture.slug)-y"
        )
      } == nil
    )
  }

  @Test func `after twenty failures a source is refused, whatever its address`() async throws {
    let fixture = try await PeopleFixture.open()
    let invite = try await fixture.invites.create(fixture.acting, role: "user")
    for number in 0..<20 {
      let wrong = try InviteCode(random: Array(UUID().uuidString.utf8.suffix(8))).grouped
      _ = try await refusal {
        try await fixture.invites.redeem(
          code: wrong,
          email: fixture.email("m\(number)"),
          name: "M",
          source: fixture.slug
        )
      }
    }
    #expect(
      try await refusal {
        try await fixture.invites.redeem(
          code: invite.code,
          email: fixture.email("ana"),
          name: "Ana",
          source: fixture.slug
        )
      } == .inviteRefused
    )
  }

}
