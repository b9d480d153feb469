internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Jobs
internal import Postgres
internal import Store

/// The jobs that poll one site, one after another. Each job enqueues the next one in the transaction of its
/// own success.
struct PollChain: Sendable {
  /// The job that is ending.
  let job: UUID
  /// The id of the next job.
  let next: UUID
  let company: UUID
  let site: UUID
  /// Seconds until the next job.
  let seconds: Int

  /// Inserts a sample unless there is one of that time: a site that is polled more often than it measures
  /// returns the same sample again.
  static func store(_ sample: SolarSample, company: UUID, site: UUID, _ tx: Transaction) throws {
    try tx.execute(
      """
      insert into solar.sample (company_id, site_id, taken_at, inverter_kw, meter_kwh)
      values (\(company), \(site), \(sample.takenAt),
              \(nullable: sample.inverterKW?.text)::text::numeric, \(nullable: sample.meterKWh?.text)::text::numeric)
      on conflict (company_id, site_id, taken_at) do nothing
      """
    )
  }

  /// Enqueues the next job. A site has at most one queued job: if another chain has enqueued one, it is moved
  /// to the earlier of the two times, so that a shorter interval takes effect at once.
  ///
  /// - Parameter failure: the reason for a missing sample, shown with the job; nil if there is none.
  func goOn(failure: String?, _ tx: Transaction) throws {
    // The unique key of this job exists until its success is written, and would block the next job.
    try tx.execute(
      """
      delete from core.job_key
      where company_id = \(company) and kind = 'solar.poll' and key = \(site.text) and job_id = \(job)
      """
    )
    var payload: JSONObject = ["record_type": "solar.site", "record_id": .string(site.text)]
    if let failure { payload["last_failure"] = .string(failure) }
    let now = try tx.value("select clock_timestamp()", as: Instant.self)
    let due = Instant(microseconds: now.microseconds + Int64(seconds) * 1_000_000)
    let follower = NewJob(
      id: next,
      kind: "solar.poll",
      runAt: due,
      maxAttempts: 1_000,
      payload: JSON(payload),
      cause: ("solar.site", site),
      uniqueKey: site.text
    )
    try JobOutbox.write([follower], company: company, traceID: nil, tx)
    try tx.execute(
      """
      update core.job_deferred w set run_at = least(w.run_at, \(due))
      from core.job_key k
      where k.company_id = \(company) and k.kind = 'solar.poll' and k.key = \(site.text)
        and w.company_id = k.company_id and w.id = k.job_id
      """
    )
  }
}
