internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The companies and entries that are measured. Their ids are numbers, so that pgbench can compute them.
///
/// Company 1 has ``entriesOfOne`` entries, companies 2 to 101 have ``entriesOfEach`` each, company 102 has
/// none. The id of a number consists of its decimal digits: `lpad(number::text, 32, '0')::uuid`.
struct Fixture: Sendable {
  static let entriesOfOne = 20_000
  static let entriesOfEach = 200
  static let hundred = 2...101
  /// A company without entries.
  static let emptyCompany = 102
  static let user = id(7)

  /// Returns the id of a number, which pgbench can compute too.
  static func id(_ number: Int) -> UUID {
    var digits = Array(String(number).utf8)
    digits.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, 32 - digits.count)), at: 0)
    func byte(_ index: Int) -> UInt8 { (digits[2 * index] - 0x30) << 4 | (digits[2 * index + 1] - 0x30) }
    return UUID(
      uuid: (
        byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7),
        byte(8), byte(9), byte(10), byte(11), byte(12), byte(13), byte(14), byte(15)
      )
    )
  }

  /// Returns the number of an entry.
  ///
  /// - Parameter index: from 1 to the number of entries of the company.
  static func entry(_ index: Int, of company: Int) -> Int { company * 1_000_000 + index }

  /// Creates the companies and their records in a newly installed database.
  static func fill(_ superuser: Database) async throws {
    try await superuser.session { session in
      try session.transaction { tx in
        try MemberStore.insertUser(
          id: user,
          email: "technician@bench.example",
          name: "Bench Technician",
          kind: "person",
          tx
        )
        for number in 1...emptyCompany {
          try CompanyStore.insert(
            id: id(number),
            slug: "bench-\(number)",
            name: "Bench \(number)",
            kind: "business",
            timeZone: "Europe/Stockholm",
            apps: nil,
            tx
          )
          _ = try MemberStore.insert(company: id(number), user: user, role: "user", invitedBy: nil, tx)
        }
      }
      var options = TransactionOptions()
      options.settings = [.word("fettle.write", "import")]
      try session.transaction(options) { tx in
        try tx.execute(machines)
        try tx.execute(categories)
        try tx.execute(entries(of: 1...1, each: entriesOfOne))
        try tx.execute(entries(of: hundred, each: entriesOfEach))
        try tx.execute(history)
        try tx.execute(feed)
      }
      try session.execute("vacuum (analyze)")
      try session.execute("checkpoint")
    }
  }

  private static let machines: SQL = """
    insert into maintenance.machine
      (company_id, id, created_by, code, name, status, status_category, history_seq, history_hash)
    select c.id, lpad((c.n * 1000 + m)::text, 32, '0')::uuid, u.id, 'RM-' || lpad(m::text, 3, '0'), 'Machine ' || m,
      'active', 'active', 1, sha256(m::text::bytea)
    from (select x.id, substr(x.slug, 7)::bigint as n from core.company x where x.slug like 'bench-%' and x.slug <> 'bench-102') c
    cross join generate_series(1, 20) m
    cross join core.app_user u
    where u.email_key = 'technician@bench.example'
    """

  private static let categories: SQL = """
    insert into maintenance.category (company_id, id, created_by, name, history_seq, history_hash)
    select c.id, lpad((c.n * 1000 + k)::text, 32, '0')::uuid, u.id, 'Category ' || k, 1, sha256(k::text::bytea)
    from (select x.id, substr(x.slug, 7)::bigint as n from core.company x where x.slug like 'bench-%' and x.slug <> 'bench-102') c
    cross join generate_series(1, 8) k
    cross join core.app_user u
    where u.email_key = 'technician@bench.example'
    """

  private static func entries(of companies: ClosedRange<Int>, each: Int) -> SQL {
    """
    insert into maintenance.entry
      (company_id, id, created_by, updated_by, machine_id, category_id, description, estimated_hours, reported_on,
       created_by_name, status, status_category, history_seq, history_hash)
    select lpad(c::text, 32, '0')::uuid, lpad((c * 1000000 + i)::text, 32, '0')::uuid, \(user), \(user),
      lpad((c * 1000 + i % 20 + 1)::text, 32, '0')::uuid, lpad((c * 1000 + i % 8 + 1)::text, 32, '0')::uuid,
      'Hydraulic hose leaks at the boom cylinder, replace and test ' || i, 1.5, date '2025-01-01' + (i % 300)::int,
      'Bench Technician', 'pending', 'open', 1, sha256(i::text::bytea)
    from generate_series(\(Int64(companies.lowerBound)), \(Int64(companies.upperBound))) c
    cross join generate_series(1, \(Int64(each))) i
    """
  }

  private static let history: SQL = """
    insert into core.history
      (company_id, record_type, record_id, seq, kind, definition_version, to_status, actor_kind, actor_id, actor_name,
       changes, salt, request_id, hash)
    select e.company_id, 'maintenance.entry', e.id, 1, 'import', 1, 'pending', 'member', e.created_by,
      'Bench Technician', jsonb_build_object('description', jsonb_build_array(null, e.description)),
      substr(e.history_hash, 1, 16), e.id, e.history_hash
    from maintenance.entry e
    """

  private static let feed: SQL = """
    insert into core.feed (company_id, scope, record_type, record_id, seq, op, version)
    select e.company_id, 'maintenance.entry', 'maintenance.entry', e.id,
      row_number() over (partition by e.company_id order by e.id), 'put', 1
    from maintenance.entry e
    """

  /// Returns the acting context of the member of a company.
  static func acting(in number: Int, _ database: Database) async throws -> ActingContext {
    ActingContext(company: try await company(number, database), actor: .member(user), user: user)
  }

  /// Returns the acting context of an operator in a company.
  static func operatorContext(in number: Int, _ database: Database) async throws -> ActingContext {
    ActingContext(company: try await company(number, database), actor: .operator("bench"), user: nil)
  }

  private static func company(_ number: Int, _ database: Database) async throws -> CompanyRow {
    let found = try await database.transaction(.inside(id(number))) { tx in
      try CompanyStore.find(id: id(number), tx)
    }
    guard let found else { throw DomainError(.notFound, "the bench's company \(number) is missing") }
    return found
  }
}
