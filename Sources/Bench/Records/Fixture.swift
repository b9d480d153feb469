internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// The companies and entries that are measured. Their ids are numbers, so that pgbench can compute them.
///
/// The id of a number consists of its decimal digits: `lpad(number::text, 32, '0')::uuid`.
enum Fixture {
  static let entriesOfOne = 20_000
  static let entriesOfEach = 200
  static let hundred = 2...101
  static let empty = 102
  static let user = id(7)
  static let email = "technician@bench.example"

  /// Returns the id of a number below a million millions, which pgbench can compute too.
  static func id(_ number: Int) -> UUID {
    let digits = String(String(1_000_000_000_000 + number).dropFirst())
    return UUID(uuidString: "00000000-0000-0000-0000-\(digits)") ?? UUID()
  }

  /// Returns the id of an entry, which is counted from 1 in its company.
  static func entry(_ index: Int, of company: Int) -> UUID { id(company * 1_000_000 + index) }

  /// Returns the id of a machine or category of a company, which has 20 machines and 8 categories.
  static func part(_ number: Int, of company: Int) -> UUID { id(company * 1_000 + number) }

  /// Creates companies and their records in a newly installed database, by `deploy/lib/bench.sql`.
  static func fill(_ server: BenchServer, _ sizes: [(companies: ClosedRange<Int>, each: Int)]) async throws {
    Report.progress("filling")
    try await server.withConnection { superuser in
      try await superuser.transaction { tx in
        try MemberStore.insertUser(id: user, email: email, name: "Bench Technician", kind: "person", tx)
        for number in sizes.flatMap(\.companies) {
          let (id, slug, zone) = (id(number), "bench-\(number)", "Europe/Stockholm")
          let kind = "business"
          try CompanyStore.insert(id: id, slug: slug, name: slug, kind: kind, timeZone: zone, apps: nil, tx)
          _ = try MemberStore.insert(company: id, user: user, role: "user", invitedBy: nil, tx)
        }
      }
    }
    let psql = [
      "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--username=postgres", BenchServer.database,
    ]
    for (companies, each) in sizes where each > 0 {
      let values = ["first=\(companies.lowerBound)", "last=\(companies.upperBound)", "each=\(each)"]
      let options = values.map { "--set=\($0)" } + ["--file=deploy/lib/bench.sql"]
      _ = try Pgbench(server: server).tool("psql", options + psql)
    }
    let vacuum = ["--command=vacuum (analyze)", "--command=checkpoint"]
    _ = try Pgbench(server: server).tool("psql", vacuum + psql)
  }

  /// Creates a session of a member that lasts for the whole run, and returns its header field.
  static func session(of user: UUID = user, in company: UUID, _ tx: Transaction) throws -> String {
    let id = UUID()
    let token = SessionToken.make(.bearer, company: company, id: id)
    try tx.execute(
      """
      insert into core.session (company_id, id, user_id, kind, secret_hash, refresh_salt, confirmed, access_until,
        idle_seconds, idle_until, expires_at)
      values (\(company), \(id), \(user), 'mobile', \(token.hash), \(SecureRandom.bytes(16)), 1,
        now() + interval '1 day', 86400, now() + interval '1 day', now() + interval '2 days')
      """
    )
    return "Authorization: Bearer \(token.text)"
  }

  /// Returns the acting context of the member, or of an operator, in a company.
  static func acting(in number: Int, asOperator: Bool = false, _ database: Database) async throws
    -> ActingContext
  {
    let found = try await database.transaction(.inside(id(number))) { tx in
      try CompanyStore.find(id: id(number), tx)
    }
    guard let found else { throw DomainError(.notFound, "the bench's company \(number) is missing") }
    let actor: Actor = asOperator ? .operator("bench") : .member(user)
    return ActingContext(company: found, actor: actor, user: asOperator ? nil : user)
  }
}
