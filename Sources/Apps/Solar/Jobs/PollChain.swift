internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Jobs
internal import Postgres
internal import Store

/// The jobs that poll one site, one after the other: each leaves the next in the transaction of its own
/// success.
struct PollChain: Sendable {
  /// The job that is ending.
  let job: UUID
  /// The id of the next job.
  let next: UUID
  let company: UUID
  let site: UUID
  let seconds: Int

  /// Writes a sample, unless it is there: a site that is asked more often than it measures says the same
  /// again.
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

  /// Leaves the next job. There is one a site: where another chain has left one, it is brought forward if
  /// need be, so that a shorter interval takes effect at once.
  ///
  /// - Parameter failure: the reason for a missing sample, shown with the job.
  func goOn(failure: String?, _ tx: Transaction) throws {
    // This job is running until its success is written, and its key would block its successor.
    try tx.execute(
      """
      delete from core.job_key
      where company_id = \(company) and kind = 'solar.poll' and key = \(site.text) and job_id = \(job)
      """
    )
    var payload: JSONObject = ["record_type": "solar.site", "record_id": .string(site.text)]
    if let failure { payload["last_failure"] = .string(failure) }
    let now = try tx.value("select clock_timestamp()", as: Timestamp.self)
    let due = Timestamp(microseconds: now.microseconds + Int64(seconds) * 1_000_000)
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
