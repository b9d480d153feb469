internal import Domain
package import FoundationEssentials
internal import Postgres
package import Store

/// Checks the invariants of a database, for `fettle verify`.
///
/// It only reads. Each company is checked in one transaction with its own snapshot, under the same row-level
/// security as every other access. Private records are read on behalf of each member in turn.
package struct Verification: Sendable {
  /// The extent of a verification.
  package struct Scope: Sendable {
    /// True to skip the checks that read every history entry, and those that ask the rules about every record.
    package var isQuick = false
    /// True to check history only: chains, heads and seals.
    package var isHistoryOnly = false
    /// The only type to check; nil for all types.
    package var type: String?
    /// The only record to check; nil for all records.
    package var record: UUID?

    package init() {}
  }

  private let services: Services
  private let catalogue: TypeCatalogue

  package init(_ services: Services, catalogue: TypeCatalogue) {
    self.services = services
    self.catalogue = catalogue
  }

  /// Returns the findings about companies, which are checked one after the other, and about the database's
  /// isolation.
  ///
  /// - Parameters:
  ///   - companies: the companies to check.
  ///   - progress: called after every 1,000 history entries of a type with the number read so far.
  /// - Throws: `unknown_type` for the scope's type.
  package func run(
    _ companies: [CompanyRow],
    scope: Scope = Scope(),
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> VerifyReport {
    let types = try scope.type.map { [try catalogue.type($0)] } ?? catalogue.types
    var report = VerifyReport()
    if !scope.isHistoryOnly {
      let found = try await services.database.transaction { [catalogue] tx in
        try IsolationCheck(types: catalogue.types).run(tx)
      }
      for finding in found { report.add(finding) }
    }
    for company in companies {
      var options = TransactionOptions.inside(company.id, readOnly: true, statementTimeout: .seconds(86_400))
      // All checks of a company use one snapshot, so that a concurrent write does not look like a fault.
      options.isolation = .repeatableRead
      let before = report
      report = try await services.database.transaction(options) { [catalogue, services] tx in
        var check = CompanyCheck(
          company: company,
          scope: scope,
          rules: services.rules.records,
          types: Dictionary(catalogue.types.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }),
          report: before,
          tx: tx,
          progress: progress
        )
        try check.run(types)
        return check.report
      }
    }
    return report
  }

  /// Returns the number of history entries that a full verification reads.
  package func entries(of companies: [CompanyRow], scope: Scope = Scope()) async throws -> Int {
    var count = 0
    for company in companies {
      count += try await services.database.transaction(
        .inside(company.id, readOnly: true, statementTimeout: nil)
      ) {
        tx in
        try tx.value(
          """
          select count(*) from core.history h
          where h.company_id = \(company.id)
            and (\(scope.type == nil) or h.record_type = \(scope.type ?? ""))
            and (\(scope.record == nil) or h.record_id = \(nullable: scope.record))
          """,
          as: Int.self
        )
      }
    }
    return count
  }
}

/// The checks of one company, in its transaction.
struct CompanyCheck {
  let company: CompanyRow
  let scope: Verification.Scope
  /// The compiled rules of types, by name.
  let rules: [String: RecordRule]
  /// Every installed type, by name.
  let types: [String: RecordType]
  var report: VerifyReport
  let tx: Transaction
  let progress: @Sendable (Int) -> Void

  mutating func run(_ types: [RecordType]) throws {
    report.companies += 1
    // Forces set-based joins. Without statistics, as after a restore, the planner estimates one row per set
    // and would scan one set for each row of the other.
    try tx.execute("set local enable_nestloop = off")
    // Disabling nested loops adds a cost penalty. It would trigger JIT compilation of every query, which
    // takes about a second each.
    try tx.execute("set local jit = off")
    for type in types {
      // A private record is visible only to its owner, so each owner's records are checked in turn.
      for owner in type.definition.scope == .owner ? try owners(of: type) : [nil] {
        if let owner { try tx.execute("select set_config('fettle.user_id', \(owner.text), true)") }
        try checkChains(of: type, owner: owner)
        guard !scope.isHistoryOnly else { continue }
        try checkRows(of: type, owner: owner)
        if !scope.isQuick { try checkRules(of: type, owner: owner) }
      }
    }
    try tx.execute("select set_config('fettle.user_id', '', true)")
    if scope.record == nil { try checkLostChains(of: types) }
    if scope.type == nil { try checkSeals() }
    guard !scope.isHistoryOnly else { return }
    try checkOwners(of: types)
    try checkWork()
    try checkCompany()
  }

  /// Returns the possible owners of private records: all members, former ones included, and the users whom
  /// the feed names. The feed alone is not sufficient, because it forgets old changes.
  func owners(of type: RecordType) throws -> [UUID?] {
    let candidates = try tx.rows(
      """
      select m.user_id, exists (
        select from core.feed f
        where f.company_id = m.company_id and f.scope = \(type.name + "/") || m.user_id)
      from core.membership m
      where m.company_id = \(company.id)
      union
      select split_part(f.scope, '/', 2)::uuid, true
      from core.feed f
      where f.company_id = \(company.id) and f.record_type = \(type.name) and starts_with(f.scope, \(type.name + "/"))
      order by 1
      """,
      UUID.self,
      Bool.self
    )
    return try candidates.filter { user, isInFeed in
      if isInFeed { return true }
      try tx.act(for: user)
      return try tx.value(
        "select exists (select from \(type.table) t where t.company_id = \(company.id))",
        as: Bool.self
      )
    }.map { Optional.some($0.0) }
  }

  /// Adds a finding for each row of a query that returns a record's id and a description of the fault.
  mutating func find(_ code: VerifyFinding.Code, type: String?, _ sql: SQL) throws {
    for (record, what) in try tx.rows(sql, UUID?.self, String.self) {
      report.add(VerifyFinding(code, company: company.slug, type: type, record: record, what))
    }
  }
}
