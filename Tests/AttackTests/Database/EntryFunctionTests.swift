import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// SQL with the server's login, against the functions that run with other rights.
@Suite struct EntryFunctionTests {
  @Test func `the server's login cannot move the private records of a member to another`() async throws {
    let shop = try await Workshop.open(roles: ["user", "user2"])
    let (from, to) = (try #require(shop.members["user"]?.userID), try #require(shop.members["user2"]?.userID))
    let claim: SQL = "select core.claim_records(\(shop.company.id), \(from), \(to), '{}', '{}', '{}', '{}')"
    for user in [from, to] {
      let error = await #expect(throws: PostgresError.self) {
        try await shop.engine.services.database.transaction(
          .inside(shop.company.id, user: user, mode: .engine)
        ) { tx in try tx.execute(claim) }
      }
      #expect(error?.sqlState == .insufficientPrivilege)
    }
    // A member who leaves is no visitor either.
    let error = await #expect(throws: PostgresError.self) {
      try await shop.engine.services.database.transaction(
        .inside(shop.company.id, user: to, mode: .engine)
      ) { tx in
        try tx.execute(
          """
          update core.membership set status = 'removed', updated_at = now()
          where company_id = \(shop.company.id) and user_id = \(from)
          """
        )
        try tx.execute(claim)
      }
    }
    #expect(error?.sqlState == .insufficientPrivilege)
  }

  @Test(arguments: [
    "select core.set_password_hash(gen_random_uuid(), '$y$x')",
    "select * from core.companies_of(gen_random_uuid())",
    "select * from core.invite_failure", "select password_hash from core.app_user",
    "insert into core.invite_failure (source) values ('x')",
  ])
  func `the server's login can neither set a password nor list a person's companies or failures`(
    _ statement: String
  ) async throws {
    let shop = try await Workshop.open()
    let error = await #expect(throws: PostgresError.self) {
      try await shop.engine.services.database.execute(SQL(trusted: statement))
    }
    #expect(error?.sqlState == .insufficientPrivilege)
  }

  @Test func `a password is changed with the hash of the current one only, which is never returned`()
    async throws
  {
    let shop = try await Workshop.open(roles: ["user"])
    let user = try #require(shop.members["user"]?.userID)
    let email = "user@\(shop.company.slug).example"
    let server = shop.engine.services.database
    let (first, second) = ("$y$j9T$salt$first", "$y$j9T$salt$second")
    try await shop.engine.operators.database.execute("select core.set_password_hash(\(user), \(first))")
    #expect(try await server.value("select core.login_setting(\(email))", as: String.self) == "$y$j9T$salt$")
    func change(_ current: String) async throws -> Bool {
      try await server.value(
        "select core.change_password_hash(\(email), \(current), \(second))",
        as: Bool.self
      )
    }
    func users(with hash: String) async throws -> Int {
      try await server.value("select count(*) from core.login(\(email), \(hash))", as: Int.self)
    }
    #expect(try await !change("$y$j9T$salt$guess"))
    #expect(try await users(with: first) == 1)
    #expect(try await users(with: second) == 0)
    #expect(try await change(first))
    #expect(try await users(with: first) == 0)
    #expect(try await users(with: second) == 1)
  }
}
