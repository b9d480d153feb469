import Testing

@testable import Domain

@Suite struct CompanyTests {
  @Test(arguments: [
    (CompanyStatus.active, [CompanyStatus.Use.read, .write, .signIn, .runJobs, .keepBooks]),
    (.suspended, [.read, .signIn, .keepBooks]),
    (.archived, [.keepBooks]),
    (.erased, []),
  ])
  func `a status permits this much and no more`(status: CompanyStatus, permitted: [CompanyStatus.Use]) {
    #expect(CompanyStatus.Use.allCases.filter(status.permits) == permitted)
  }

  @Test func `each status refuses with its own code`() {
    #expect(refusal { try CompanyStatus.suspended.require(.write) }?.code == .companySuspended)
    #expect(refusal { try CompanyStatus.archived.require(.read) }?.code == .companyArchived)
    #expect(refusal { try CompanyStatus.erased.require(.read) }?.code == .notFound)
  }

  @Test func `a company moves only along its life`() throws {
    let moves: [CompanyStatus: Set<CompanyStatus>] = [
      .active: [.suspended, .archived], .suspended: [.active, .archived], .archived: [.active, .erased],
      .erased: [],
    ]
    for from in CompanyStatus.allCases {
      for to in CompanyStatus.allCases {
        if moves[from]?.contains(to) == true {
          #expect(try from.moved(to: to) == to)
        } else {
          #expect(refusal { _ = try from.moved(to: to) }?.code == .wrongState)
        }
      }
    }
  }

  @Test func `guests exist in demo companies only`() {
    for kind in CompanyKind.allCases {
      #expect(BuiltInRole.guest.isAvailable(in: kind) == (kind == .demo))
      #expect(BuiltInRole.user.isAvailable(in: kind))
    }
  }

  @Test func `a removed member returns by invite only`() {
    #expect(MemberStatus.removed.next.isEmpty)
    #expect(MemberStatus.suspended.next == [.active, .removed])
    #expect(Member(user: Fixture.ana, role: "owner", status: .active).isActiveAdministrator)
    #expect(!Member(user: Fixture.ana, role: "owner", status: .suspended).isActiveAdministrator)
    #expect(!Member(user: Fixture.ana, role: "foreman", status: .active).isActiveAdministrator)
  }
}
