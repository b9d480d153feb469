import FoundationEssentials
import Postgres
import Store
import Synchronization
import TestDatabase
import Testing

/// Every role tries every verb on every table, in a transaction of company A, at company B's rows.
@Suite struct TableMatrixTests {
  /// A role, the rows that it reached by a verb, and the rule that decides it.
  private struct Cell {
    let relation: Relation
    let verb: Verb
    let reach: Reach
    let rule: Int?
  }

  @Test func `no role reaches rows beyond its rules by any verb on any table`() async throws {
    let companies = try await TwoCompanies.make()
    let reporter = try await Self.makeReporter(companies)
    let relations = try await companies.superuser.rows(Relation.query, as: Relation.self)
    #expect(relations.count > 100)
    let roles = try await Self.roles(companies)
    var exhausted: Set<Int> = []
    var tried = 0
    var reached: [Reach: Int] = [:]
    for role in roles.keys.sorted() {
      let login = role == "reporter" ? reporter : role
      for cell in try await Self.cells(of: role, as: login, logsIn: roles[role] == true, relations, companies)
      {
        tried += 1
        reached[cell.reach, default: 0] += 1
        let most = cell.rule.map { AccessRules.rules[$0].reach } ?? .nothing
        if cell.reach == most, let rule = cell.rule { exhausted.insert(rule) }
        #expect(cell.reach <= most, "\(role) \(cell.verb) \(cell.relation): reached \(cell.reach)")
      }
    }
    for (index, rule) in AccessRules.rules.enumerated()
    where !exhausted.contains(index) && !rule.roles.isDisjoint(with: roles.keys.map { $0[...] }) {
      Issue.record("no table needs the rule: \(rule)")
    }
    print(
      "tables × roles × verbs: \(tried) cells tried; "
        + "\(reached[.nothing] ?? 0) refused, \(reached[.own] ?? 0) confined to one company, "
        + "\(reached[.all] ?? 0) allowed by a rule"
    )
    #expect(tried > 5_000)
    try await companies.superuser.execute("drop role \(identifier: Identifier(stringLiteral: reporter))")
  }

  @Test func `a reporting login cannot enter another company`() async throws {
    let companies = try await TwoCompanies.shared()
    let reporter = try await Self.makeReporter(companies)
    let login = companies.database.connect(as: reporter, poolSize: 1)
    for company in [TwoCompanies.a, TwoCompanies.b] {
      let seen = try await login.transaction(.inside(company, user: TwoCompanies.id("b", 1))) { tx in
        try tx.rows("select distinct m.company_id from report.v1_member m", UUID.self)
      }
      #expect(seen == [TwoCompanies.a])
    }
    await login.close()
  }

  @Test func `every role of the engine has rules`() async throws {
    let companies = try await TwoCompanies.shared()
    let roles = try await Self.roles(companies)
    #expect(Set(roles.keys).subtracting(AccessRules.roles) == [])
  }

  @Test func `no foreign key of any table reaches another company`() async throws {
    let companies = try await TwoCompanies.shared()
    let keys = try await companies.superuser.rows(ForeignKey.query, as: ForeignKey.self)
    var tried = 0
    for key in keys {
      let outcome = try await companies.superuser.transaction(.inside(TwoCompanies.a, mode: .import)) { tx in
        defer { try? tx.rollback() }  // the database drops the connection if this fails
        return try key.attempt(tx)
      }
      guard let outcome else { continue }
      tried += 1
      #expect(outcome == "23503", "\(key.name) of \(key.table): \(outcome)")
    }
    print("foreign keys: \(tried) of \(keys.count) tried with another company's key")
    #expect(tried > 40)
  }

  /// The roles that `roles.sql` creates; true if the role logs in.
  ///
  /// A login of one company stands for the group of such logins, in which nobody can log in.
  private static func roles(_ companies: TwoCompanies) async throws -> [String: Bool] {
    let rows = try await companies.superuser.rows(
      """
      select case r.rolname when 'fettle_report_company' then 'reporter' else r.rolname::text end,
        r.rolcanlogin or r.rolname = 'fettle_report_company'
      from pg_roles r
      where r.rolname like 'fettle\\_%' and shobj_description(r.oid, 'pg_authid') is not null
      """,
      String.self,
      Bool.self
    )
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.0, $0.1) })
  }

  /// Creates a login for the reports of company A and returns its name.
  private static func makeReporter(_ companies: TwoCompanies) async throws -> String {
    let name = "attack_reporter_\(UUID().uuidString.prefix(8).lowercased())"
    let role = Identifier(stringLiteral: name)
    try await companies.superuser.transaction { tx in
      try tx.execute("lock table pg_catalog.pg_authid in share row exclusive mode")
      try tx.execute("create role \(identifier: role) login in role fettle_report_company")
      try tx.execute(
        "insert into core.report_login (role_name, company_id) values (\(name), \(TwoCompanies.a))"
      )
    }
    return name
  }

  /// Tries all cells of a role.
  private static func cells(
    of role: String,
    as login: String,
    logsIn: Bool,
    _ relations: [Relation],
    _ companies: TwoCompanies
  ) async throws -> [Cell] {
    var parameters = companies.database.parameters
    parameters["user"] = logsIn ? login : "postgres"
    // A thief of credentials is not bound by settings that a session may change.
    parameters["options"] = "-c default_transaction_read_only=off -c statement_timeout=0"
    let database = Database(Database.Configuration(parameters: parameters, poolSize: 1))
    var cells: [Cell] = []
    for relation in relations {
      let probe = try await companies.superuser.transaction { try TableProbe(relation, as: login, $0) }
      cells += try await database.transaction(
        .inside(TwoCompanies.a, user: TwoCompanies.ownerOfA, mode: .import, statementTimeout: nil)
      ) { tx in
        if !logsIn { try tx.execute(SQL(trusted: "set local role \(login)")) }
        var cells: [Cell] = []
        for verb in Verb.allCases {
          guard let reach = try probe.reach(verb, tx) else { continue }
          cells.append(
            Cell(relation: relation, verb: verb, reach: reach, rule: AccessRules.rule(role, verb, relation))
          )
        }
        try tx.rollback()
        return cells
      }
    }
    await database.close()
    return cells
  }
}
