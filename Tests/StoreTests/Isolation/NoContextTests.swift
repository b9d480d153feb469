import Domain
import Postgres
import Store
import TestDatabase
import Testing

/// Rows visible to the logins of server and workers before a company is entered, and of other companies
/// after.
@Suite struct NoContextTests {
  /// Tables whose control rows hold ids only, which workers see across companies.
  private static let exceptions: [String: Set<String>] = [
    "fettle_app": [], "fettle_worker": ["core.timer", "core.schedule"],
  ]

  private static func tables(_ role: String) async throws -> [(relation: String, seesAll: Bool)] {
    let companies = try await TwoCompanies.shared()
    return try await companies.superuser.rows(
      SQL(trusted: NamedQuery.enumeration("tables_by_company")),
      String.self,
      String.self,
      Bool.self
    ).filter { $0.0 == role }.map { ($0.1, $0.2) }
  }

  private static func counting(_ relation: String, _ condition: String = "true") -> SQL {
    SQL(trusted: "select count(*) from \(relation) where \(condition)")
  }

  @Test func `both companies have rows in every table there is`() async throws {
    let companies = try await TwoCompanies.shared()
    let all = try await Self.tables("fettle_app") + Self.tables("fettle_worker")
    #expect(Set(all.map(\.relation)).count > 25)
    for table in Set(all.map(\.relation)) where table != "core.record_base" {
      for company in [TwoCompanies.a, TwoCompanies.b] {
        let rows = try await companies.superuser.value(
          Self.counting(table, "company_id = '\(company)'"),
          as: Int64.self
        )
        #expect(rows > 0, "\(table) has no row to be hidden")
      }
    }
  }

  @Test(arguments: ["fettle_app", "fettle_worker"])
  func `without a context no row of any company is seen`(_ role: String) async throws {
    let companies = try await TwoCompanies.shared()
    let tables = try await Self.tables(role)
    #expect(tables.count > 20)
    #expect(Set(tables.filter(\.seesAll).map(\.relation)) == Self.exceptions[role])
    for table in tables {
      let rows = try await companies.pool(role).value(Self.counting(table.relation), as: Int64.self)
      #expect((rows > 0) == table.seesAll, "\(role) sees \(rows) rows of \(table.relation)")
    }
    let people = try await companies.pool(role).value("select count(*) from core.app_user", as: Int64.self)
    let named = try await companies.pool(role).value("select count(*) from core.company", as: Int64.self)
    #expect(people == 0)
    #expect(named == 0)
  }

  @Test(arguments: ["fettle_app", "fettle_worker"])
  func `in a company's context its own rows are seen and no other`(_ role: String) async throws {
    let companies = try await TwoCompanies.shared()
    for table in try await Self.tables(role) where !table.seesAll && table.relation != "core.record_base" {
      let (own, others) = try await companies.pool(role).transaction(
        .inside(TwoCompanies.a, user: TwoCompanies.ownerOfA)
      ) { tx in
        (
          try tx.value(Self.counting(table.relation), as: Int64.self),
          try tx.value(Self.counting(table.relation, "company_id <> '\(TwoCompanies.a)'"), as: Int64.self)
        )
      }
      #expect(own > 0, "\(role) does not see its own \(table.relation)")
      #expect(others == 0, "\(role) sees others' \(table.relation)")
    }
  }

  @Test(arguments: ["fettle_app", "fettle_worker", "fettle_admin"])
  func `no secret column can be read`(_ role: String) async throws {
    let companies = try await TwoCompanies.shared()
    let secrets = try await companies.superuser.rows(
      SQL(trusted: NamedQuery.enumeration("secret_columns")),
      String.self,
      String.self
    )
    #expect(secrets.count == 4)
    let login = companies.database.connect(as: role, poolSize: 1)
    for (relation, column) in secrets {
      let privilege = try await companies.superuser.value(
        "select has_column_privilege(\(role), \(relation), \(column), 'SELECT')",
        as: Bool.self
      )
      #expect(!privilege, "\(role) may read \(relation).\(column)")
      let state = try await login.transaction(.inside(TwoCompanies.a)) { tx in
        try Refusal.state(tx) { try $0.execute(SQL(trusted: "select \(column) from \(relation)")) }
      }
      #expect(state == "42501", "\(role) reads \(relation).\(column)")
    }
    await login.close()
  }
}
