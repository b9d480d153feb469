internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The jobs that poll one site, one after the other: each leaves the next in the transaction of its own success.
struct PollChain: Sendable {
  /// The job that is ending.
  let job: UUID
  /// The one to follow.
  let next: UUID
  let company: UUID
  let site: UUID
  let seconds: Int

  /// Writes a sample, unless it is there: a site that is asked more often than it measures says the same again.
  static func store(_ sample: SolarSample, company: UUID, site: UUID, _ tx: Transaction) throws {
    try tx.execute(
      """
      insert into solar.sample (company_id, site_id, taken_at, inverter_kw, meter_kwh)
      values (\(company), \(site), \(Timestamp(microseconds: sample.takenAt.microseconds)),
              \(nullable: sample.inverterKW?.text)::text::numeric, \(nullable: sample.meterKWh?.text)::text::numeric)
      on conflict (company_id, site_id, taken_at) do nothing
      """
    )
  }

  /// Leaves the next job. There is one a site: where another chain has left one, it is brought forward if need be,
  /// so that a shorter interval takes effect at once.
  ///
  /// - Parameter failure: why there is no sample this time, for whoever looks at the job.
  func goOn(failure: String?, _ tx: Transaction) throws {
    // This job is running until its success is written, and would be in the way of its successor.
    try tx.execute("update core.job set unique_key = null where company_id = \(company) and id = \(job)")
    var payload: JSONObject = ["record_type": "solar.site", "record_id": .string(site.text)]
    if let failure { payload["last_failure"] = .string(failure) }
    try tx.execute(
      """
      with control as (
        insert into core.job
          (company_id, id, queue, kind, state, run_at, attempt, max_attempts, fence, unique_key)
        values (\(company), \(next), 'default', 'solar.poll', 'queued', now() + make_interval(secs => \(Double(seconds))),
                0, 1000, 0, \(site.text))
        on conflict (company_id, kind, unique_key)
          where unique_key is not null and state in ('queued', 'retrying', 'running')
          do update set run_at = least(job.run_at, excluded.run_at)
        returning id
      )
      insert into core.job_payload (company_id, job_id, payload, cause_type, cause_id)
      select \(company), c.id, \(JSON(payload)), 'solar.site', \(site)
      from control c
      where c.id = \(next)
      """
    )
  }
}
