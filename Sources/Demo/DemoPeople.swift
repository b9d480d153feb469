internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Writes the company itself, its members, invites and finished jobs.
struct DemoPeople {
  let context: DemoContext

  private var tenant: DemoTenant { context.tenant }

  /// Creates the users of all companies in one transaction, before any company is loaded. Some users belong
  /// to two companies, which must not create them concurrently.
  static func makeUsers(of tenants: [DemoTenant], _ database: Database) async throws {
    var known: Set<UUID> = []
    let people = tenants.flatMap(\.members).filter { known.insert($0.id).inserted }
    let (ids, emails, names) = (people.map(\.id), people.map(\.email), people.map(\.name))
    try await database.transaction(TransactionOptions(statementTimeout: .seconds(600))) { tx in
      try tx.execute(
        """
        select core.create_user(x.id, x.email, x.name)
        from unnest(\(ids), \(emails), \(names)) x (id, email, name)
        """
      )
    }
  }

  /// Creates the company, memberships, entitlement and invites if missing. Existing rows stay unchanged.
  func load() throws {
    let tx = context.tx
    if try CompanyStore.find(id: tenant.id, tx) == nil {
      try CompanyStore.insert(
        id: tenant.id,
        slug: tenant.slug,
        name: tenant.name,
        kind: tenant.kind,
        timeZone: tenant.timeZone,
        apps: nil,
        tx
      )
    }
    let members = tenant.members
    try tx.execute(
      """
      insert into core.membership (company_id, user_id, role, status)
      select \(tenant.id), x.id, x.role, x.status
      from unnest(\(members.map(\.id)), \(members.map(\.role)), \(members.map { $0.isActive ? "active" : "removed" }))
        x (id, role, status)
      on conflict (company_id, user_id) do nothing
      """
    )
    try EntitlementStore.grant(
      id: context.id("entitlement", 0),
      company: tenant.id,
      user: nil,
      name: "pro",
      from: context.moment(context.day(400)),
      until: nil,
      by: "demo",
      tx
    )
    try invites()
  }

  /// Creates invites without codes, so that nobody can redeem them: 40 % exhausted, 30 % expired, 10 %
  /// revoked, 20 % open.
  private func invites() throws {
    guard tenant.invites > 0 else { return }
    var random = context.random("invites")
    var (ids, hints, used): ([UUID], [String], [Int32]) = ([], [], [])
    var (made, until, revoked): ([Instant], [Instant], [Instant?]) = ([], [], [])
    for index in 0..<tenant.invites {
      let state = random.pick(
        [("exhausted", 0.4), ("expired", 0.3), ("revoked", 0.1), ("open", 0.2)] as [(String, Double)]
      )
      let at = context.moment(context.day(state == "open" ? 1 : random.int(20...300)))
      ids.append(context.id("invite", index))
      hints.append("demo \(index + 1)")
      used.append(state == "exhausted" ? 1 : 0)
      made.append(at)
      until.append(Instant(microseconds: at.microseconds + 14 * 86_400_000_000))
      revoked.append(state == "revoked" ? Instant(microseconds: at.microseconds + 86_400_000_000) : nil)
    }
    try context.tx.execute(
      """
      insert into core.invite
        (company_id, id, role, hint, max_uses, used, expires_at, revoked_at, created_by, created_at)
      select \(tenant.id), x.id, 'user', x.hint, 1, x.used, x.until, x.revoked,
        \(nullable: tenant.members.first?.id), x.made
      from unnest(\(ids), \(hints), \(used), \(until), \(revoked), \(made)) x (id, hint, used, until, revoked, made)
      on conflict (company_id, id) do nothing
      """
    )
  }

  /// Creates finished jobs: 93 % succeeded at the first attempt, 5 % at the second; 1 % are dead, 1 %
  /// cancelled.
  ///
  /// - Returns: the number of new jobs.
  func jobs() throws -> Int {
    var random = context.random("jobs")
    var (ids, states, attempts, times): ([UUID], [String], [Int32], [Instant]) = ([], [], [], [])
    for index in 0..<tenant.jobs {
      let fate = random.pick(
        [("first", 0.93), ("later", 0.05), ("dead", 0.01), ("cancelled", 0.01)] as [(String, Double)]
      )
      ids.append(context.id("job", index))
      states.append(fate == "first" || fate == "later" ? "succeeded" : fate)
      attempts.append(fate == "first" ? 1 : fate == "later" ? 2 : fate == "dead" ? 5 : 0)
      times.append(context.moment(context.day(index % 30), minute: random.int(0...1_400)))
    }
    guard !ids.isEmpty else { return 0 }
    let made = try context.tx.rows(
      """
      insert into core.job_end
        (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, created_at, payload)
      select \(tenant.id), x.id, 1, x.state, x.at + interval '1 second',
        core.job_lane(\(tenant.id), 'default', 'notify.send', 2), 'default', 'notify.send', 2, x.attempt, 5, x.at, '{}'
      from unnest(\(ids), \(states), \(attempts), \(times)) x (id, state, attempt, at)
      on conflict (company_id, id) do nothing
      returning id
      """,
      UUID.self
    )
    return made.count
  }
}
