internal import Postgres

/// A number of jobs to drain, each with its own payload.
struct Backlog: Sendable {
  let jobs: Int
  var companies = 1
  /// The kinds of the jobs. Job number n has the kind at index n modulo the number of kinds.
  var kinds = ["bench.noop"]
  var attempts = 5
  var atOnce = 1_000

  var sum: Int { jobs * (jobs + 1) / 2 }

  func enqueue(_ superuser: Database) async throws {
    try await superuser.execute(
      """
      insert into core.company (id, slug, name)
      select lpad(c::text, 32, '0')::uuid, 'queue-' || c, 'Queue ' || c
      from generate_series(1, \(Int64(companies))) c
      on conflict do nothing
      """
    )
    for start in stride(from: 1, through: jobs, by: atOnce) {
      try await superuser.execute(
        """
        insert into core.job_queued (company_id, lane, id, queue, kind, priority, max_attempts, payload)
        select x.company, core.job_lane(x.company, 'default', x.kind, 2), gen_random_uuid(), 'default', x.kind, 2,
          \(Int64(attempts)), jsonb_build_object('n', x.n)
        from (
          select n, lpad((n % \(Int64(companies)) + 1)::text, 32, '0')::uuid as company,
            (\(kinds)::text[])[n % \(Int64(kinds.count)) + 1] as kind
          from generate_series(\(Int64(start)), \(Int64(min(jobs, start + atOnce - 1)))) n
        ) x
        """
      )
    }
    // Brings statistics up to date, as autovacuum would.
    try await superuser.session { session in
      try session.execute("vacuum (analyze) core.job_queued, core.job_claim, core.job_ack")
      try session.execute("checkpoint")
    }
  }
}
