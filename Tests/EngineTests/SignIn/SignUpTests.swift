import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Secrets
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct SignUpTests {
  @Test func `a stranger creates a company, owns it and is signed in`() async throws {
    let fixture = try await SignInFixture.open()
    let opened = try await fixture.register()
    let me = try await OwnAccount(fixture.services).show(fixture.acting(opened))
    #expect(me.email == fixture.email("ana") && me.role == "owner" && me.emailVerifiedAt == nil)
    #expect(opened.kind == .mobile && opened.refresh != nil && opened.expiresIn == 900)
    #expect(try await fixture.audited(opened.company.id).prefix(2) == ["company.created", "session.opened"])
  }

  @Test func `an address with an account must sign in first, and nothing is left`() async throws {
    let fixture = try await SignInFixture.open()
    let opened = try await fixture.register()
    let code = try await Invites(fixture.engine.operators).create(
      fixture.operators(opened.company),
      role: "user"
    )
    .code
    let account = SignUp.Account(
      email: fixture.email("ANA"),
      name: "Mallory",
      password: "another long password"
    )
    for place in [SignUp.Place.company(NewCompany(name: "Evil \(fixture.word)")), .invite(code: code)] {
      let error = try await refusal {
        try await fixture.signUp.signUp(account, in: place, client: fixture.client())
      }
      #expect(error == .signInFirst)
    }
    let companies = try await fixture.engine.superuser.value(
      "select count(*) from core.company c where c.name = \("Evil \(fixture.word)")",
      as: Int.self
    )
    #expect(companies == 0)
    let used = try await fixture.engine.superuser.value(
      "select sum(i.used) from core.invite i where i.company_id = \(opened.company.id)",
      as: Int.self
    )
    #expect(used == 0)
    _ = try await fixture.signIn()
  }

  @Test func `of fifty sign-ups at once with a code of two uses two succeed, and no orphan is left`()
    async throws
  {
    let fixture = try await SignInFixture.open()
    let opened = try await fixture.register("owner")
    let code = try await Invites(fixture.engine.operators).create(
      fixture.operators(opened.company),
      role: "user",
      uses: 2
    ).code
    let ends = try await atOnce(50) { number in
      try await fixture.signUp.signUp(
        SignUp.Account(
          email: fixture.email("new\(number)"),
          name: "New",
          password: SignInFixture.password
        ),
        in: .invite(code: code),
        client: fixture.client(address: "\(fixture.word)-\(number)")
      )
    }
    #expect(ends.count { $0 == nil } == 2)
    #expect(ends.count { $0 == .inviteRefused } == 48)
    let people = try await fixture.engine.superuser.value(
      "select count(*) from core.app_user where email_key like \("new%@\(fixture.word).example")",
      as: Int.self
    )
    #expect(people == 2)
    let sessions = try await fixture.engine.superuser.value(
      "select count(*) from core.session where company_id = \(opened.company.id)",
      as: Int.self
    )
    #expect(sessions == 3)
  }

  @Test func `a short name that is taken does not tell whether an address has an account`() async throws {
    let fixture = try await SignInFixture.open()
    let opened = try await fixture.register()
    for name in ["ana", "nobody"] {
      let error = try await refusal {
        try await fixture.signUp.signUp(
          SignUp.Account(email: fixture.email(name), name: "Mallory", password: "another long password"),
          in: .company(NewCompany(name: "Evil", slug: opened.company.slug)),
          client: fixture.client()
        )
      }
      #expect(error == .alreadyExists, "\(name)")
    }
  }

  @Test func `of several sign-ups at once with one address one succeeds`() async throws {
    let fixture = try await SignInFixture.open()
    let ends = try await atOnce(8) { _ in try await fixture.register() }
    #expect(ends.count { $0 == nil } == 1)
    #expect(ends.count { $0 == .signInFirst } == 7)
  }

  @Test
  func `companies of the same name get short names of their own, and a requested one is kept or refused`()
    async throws
  {
    let fixture = try await SignInFixture.open()
    let slug = fixture.word
    func open(_ name: String, slug: String?) async throws -> OpenedSession {
      try await fixture.signUp.signUp(
        SignUp.Account(email: fixture.email(name), name: name, password: SignInFixture.password),
        in: .company(NewCompany(name: slug == nil ? fixture.word : "X", slug: slug)),
        client: fixture.client()
      )
    }
    #expect(try await open("first", slug: slug).company.slug == slug)
    #expect(try await refusal { try await open("second", slug: slug) } == .alreadyExists)
    let third = try await open("third", slug: nil).company.slug
    #expect(third.hasPrefix("\(slug)-") && third != slug)
  }

  @Test(arguments: [CompanyKind.demo, .system]) func `nobody signs up with a company of an operator's kind`(
    _ kind: CompanyKind
  ) async throws {
    let fixture = try await SignInFixture.open()
    let error = try await refusal {
      try await fixture.signUp.signUp(
        SignUp.Account(email: fixture.email("ana"), name: "Ana", password: SignInFixture.password),
        in: .company(NewCompany(name: "X", kind: kind)),
        client: fixture.client()
      )
    }
    #expect(error == .invalidInput)
    // The database refuses it too.
    await #expect(throws: PostgresError.self) {
      let id = UUID()
      try await fixture.services.database.transaction(.inside(id)) { tx in
        try tx.execute(
          "select core.create_company(\(id), \(fixture.word), 'X', \(kind.rawValue), 'UTC', true)"
        )
      }
    }
  }

  @Test func `a short password is refused before anything is written`() async throws {
    let fixture = try await SignInFixture.open()
    let error = try await refusal {
      try await fixture.signUp.signUp(
        SignUp.Account(email: fixture.email("ana"), name: "Ana", password: "short"),
        in: .company(NewCompany(name: "X")),
        client: fixture.client()
      )
    }
    #expect(error == .invalidPassword)
    _ = try await fixture.register()
  }

  @Test func `a password of names that others know is refused`() async throws {
    let fixture = try await SignInFixture.open()
    let owner = try await fixture.register("owner")
    let code = try await Invites(fixture.engine.operators).create(
      fixture.operators(owner.company),
      role: "user"
    ).code
    let places: [(SignUp.Place, String)] = [
      (.company(NewCompany(name: "Xylophone")), "Xylophone-1987"),
      (.invite(code: code), "Company \(fixture.word)"),
      (.invite(code: code), "Ragnhild2026!"), (.invite(code: code), "\(fixture.word)1234"),
      (.invite(code: code), "fettle fettle"),
    ]
    for (place, password) in places {
      let account = SignUp.Account(email: fixture.email("rag"), name: "Ragnhild", password: password)
      let error = try await refusal {
        try await fixture.signUp.signUp(account, in: place, client: fixture.client())
      }
      #expect(error == .invalidPassword, "\(password)")
    }
  }

  @Test func `a verified address is stored as such, and another address is not verified`() async throws {
    let fixture = try await SignInFixture.open()
    let opened = try await fixture.signUp.signUp(
      SignUp.Account(email: fixture.email("ana"), name: "Ana", password: nil, isVerified: true),
      in: .company(NewCompany(name: "X \(fixture.word)")),
      client: fixture.client()
    )
    let acting = try await fixture.acting(opened)
    #expect(try await OwnAccount(fixture.services).show(acting).emailVerifiedAt != nil)
    _ = try await Members(fixture.services).update(
      acting,
      member: fixture.email("ana"),
      email: fixture.email("anna")
    )
    #expect(try await OwnAccount(fixture.services).show(acting).emailVerifiedAt == nil)
  }

  @Test func `writes alongside the sign-up are undone with it`() async throws {
    let fixture = try await SignInFixture.open()
    let error = try await refusal {
      try await fixture.signUp.signUp(
        SignUp.Account(email: fixture.email("ana"), name: "Ana", password: nil),
        in: .company(NewCompany(name: "X \(fixture.word)")),
        client: fixture.client()
      ) { _, _ in throw DomainError(.signInFirst) }
    }
    #expect(error == .signInFirst)
    let people = try await fixture.engine.superuser.value(
      "select count(*) from core.app_user where email_key = \(fixture.email("ana"))",
      as: Int.self
    )
    #expect(people == 0)
  }
}
