import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct PeopleTransferTests {
  private func roles(_ fixture: PeopleFixture) async throws -> [String: String] {
    let members = try await fixture.members.list(fixture.acting)
    return Dictionary(uniqueKeysWithValues: members.map { ($0.handle, $0.role) })
  }

  @Test func `an owner hands the company over and stays as admin`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    let eva = try await fixture.context(of: "eva")
    let transfer = try await fixture.companies.transfer(eva, to: "ana")
    #expect(transfer.to.role == "owner")
    #expect(try await roles(fixture) == ["eva": "admin", "ana": "owner"])
    #expect(try await fixture.audited().last == "company.transferred")
    #expect(try await refusal { try await fixture.companies.transfer(eva, to: "eva") } == .forbidden)
  }

  @Test func `only owners and operators hand a company over, and only to active members`() async throws {
    let fixture = try await PeopleFixture.open(["olle": "admin", "ana": "user", "vera": "viewer"])
    let olle = try await fixture.context(of: "olle")
    #expect(try await refusal { try await fixture.companies.transfer(olle, to: "olle") } == .forbidden)
    try await fixture.members.setStatus(fixture.acting, member: "vera", status: .suspended)
    #expect(
      try await refusal { try await fixture.companies.transfer(fixture.acting, to: "vera") } == .wrongState
    )
    #expect(
      try await refusal { try await fixture.companies.transfer(fixture.acting, to: "eva") } == .wrongState
    )
    _ = try await fixture.companies.transfer(fixture.acting, to: "ana", keeping: "viewer")
    #expect(
      try await roles(fixture) == ["eva": "viewer", "olle": "admin", "ana": "owner", "vera": "viewer"]
    )
  }

  @Test func `of several owners the one who steps down is named`() async throws {
    let fixture = try await PeopleFixture.open(["olle": "owner", "ana": "user"])
    #expect(
      try await refusal { try await fixture.companies.transfer(fixture.acting, to: "ana") } == .invalidInput
    )
    _ = try await fixture.companies.transfer(fixture.acting, to: "ana", from: "olle")
    #expect(try await roles(fixture) == ["eva": "owner", "olle": "admin", "ana": "owner"])
  }

  @Test func `of two transfers at once each leaves one owner for the one who stepped down`() async throws {
    for _ in 0..<5 {
      let fixture = try await PeopleFixture.open(["olle": "admin", "ana": "user"])
      let eva = try await fixture.context(of: "eva")
      let ends = try await atOnce(2) { number in
        try await fixture.companies.transfer(eva, to: ["olle", "ana"][number])
      }
      #expect(ends.count { $0 == nil } == 1)
      #expect(try await roles(fixture).values.count { $0 == "owner" } == 1)
    }
  }
}
