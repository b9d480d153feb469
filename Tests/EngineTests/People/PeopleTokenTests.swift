import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Secrets
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct PeopleTokenTests {
  @Test func `a token's text leads to its company and row, and its hash is what is stored`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    let issued = try await fixture.tokens.create(
      try await fixture.context(of: "ana"),
      owner: nil,
      name: "phone",
      scopes: ["maintenance.entry.read"],
      days: 7
    )
    let token = try APIToken.parse(issued.text)
    #expect(token.company == fixture.acting.company.id && token.id == issued.id)
    let stored = try await fixture.superuser.value(
      "select secret_hash from core.api_token where id = \(issued.id)",
      as: [UInt8].self
    )
    #expect(token.matches(stored))
  }

  @Test func `nobody makes a token of more than they hold`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    let ana = try await fixture.context(of: "ana")
    #expect(
      try await refusal {
        try await fixture.tokens.create(ana, owner: nil, name: "x", scopes: ["member.remove"], days: 1)
      } == .grantExceedsOwn
    )
  }

  @Test func `a token for somebody else takes the right to change members, and none above oneself`()
    async throws
  {
    let fixture = try await PeopleFixture.open(["ana": "user", "olle": "admin"])
    let scopes = ["maintenance.entry.read"]
    let ana = try await fixture.context(of: "ana")
    let olle = try await fixture.context(of: "olle")
    #expect(
      try await refusal {
        try await fixture.tokens.create(ana, owner: "olle", name: "x", scopes: scopes, days: 1)
      } == .forbidden
    )
    #expect(
      try await refusal {
        try await fixture.tokens.create(olle, owner: "eva", name: "x", scopes: scopes, days: 1)
      } == .memberOutranks
    )
    #expect(
      try await refusal {
        try await fixture.tokens.create(olle, owner: "ana", name: "x", scopes: scopes, days: 1)
      } == nil
    )
  }

  @Test func `an unknown scope is refused`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    #expect(
      try await refusal {
        try await fixture.tokens.create(
          fixture.acting,
          owner: "ana",
          name: "x",
          scopes: ["maintenance.entry.raed"],
          days: 1
        )
      } == .unknownPermission
    )
  }

  @Test func `a user sees and ends their own tokens, an admin everybody's`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user", "olle": "admin"])
    let scopes = ["maintenance.entry.read"]
    let ana = try await fixture.context(of: "ana")
    let olle = try await fixture.context(of: "olle")
    _ = try await fixture.tokens.create(ana, owner: nil, name: "hers", scopes: scopes, days: 1)
    _ = try await fixture.tokens.create(olle, owner: nil, name: "his", scopes: scopes, days: 1)
    #expect(try await fixture.tokens.list(ana).map(\.name) == ["hers"])
    #expect(Set(try await fixture.tokens.list(olle).map(\.name)) == ["hers", "his"])
    #expect(try await refusal { try await fixture.tokens.revoke(ana, token: "his") } == .notFound)
    #expect(try await refusal { try await fixture.tokens.revoke(olle, token: "hers") } == nil)
    #expect(try await refusal { try await fixture.tokens.revoke(olle, token: "hers") } == .notFound)
  }

  @Test func `a suspended member gets no token`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    try await fixture.members.setStatus(fixture.acting, member: "ana", status: .suspended)
    #expect(
      try await refusal {
        try await fixture.tokens.create(
          fixture.acting,
          owner: "ana",
          name: "x",
          scopes: ["member.read"],
          days: 1
        )
      } == .wrongState
    )
  }
}
