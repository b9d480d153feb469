internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Whether every record of a company agrees with what its changes left behind.
///
/// The engine's triggers write nothing, so nothing but the unit of work keeps rows, history, feed and jobs
/// together: whoever changes one without the others is found here, by what `fettle verify` finds and by counts that
/// hold only where nothing was ever swept away.
package struct Integrity {
  package let shop: Workshop

  package init(shop: Workshop) { self.shop = shop }

  /// What does not hold, in words; empty when all does.
  ///
  /// - Parameter withNotices: not for made-up records, which tell nobody what never happened.
  package func faults(withNotices: Bool = true) async throws -> [String] {
    let report = try await Verification(shop.hall.operators, catalogue: shop.hall.catalogue).run([
      shop.company
    ])
    let faults = report.findings.map {
      "\($0.type ?? "") \($0.record?.text ?? ""): \($0.code.rawValue), \($0.what)"
    }
    return try await faults + (withNotices ? jobFaults() : []) + feedFaults()
  }

  /// Every start and completion has the one notice it causes, and no notice is without its cause.
  private func jobFaults() async throws -> [String] {
    try await shop.hall.superuser.rows(
      """
      with caused as (
        select h.record_id, h.seq::text as seq
        from core.history h
        where h.company_id = \(shop.company.id) and h.record_type = 'maintenance.entry'
          and h.transition in ('start', 'complete', 'remind', 'escalate')
      ), job as (
        select p.cause_id as record_id, p.payload ->> 'history_seq' as seq
        from core.job j
        join core.job_payload p on p.company_id = j.company_id and p.job_id = j.id
        where j.company_id = \(shop.company.id) and j.kind = 'notify.send' and p.cause_type = 'maintenance.entry'
      ), counted as (
        select record_id, seq, sum(causes) as causes, sum(jobs) as jobs
        from (select record_id, seq, 1 as causes, 0 as jobs from caused
              union all
              select record_id, seq, 0, 1 from job) x
        group by record_id, seq
      )
      select format('entry %s at %s: %s causes, %s jobs', record_id, seq, causes, jobs)
      from counted
      where causes <> 1 or jobs <> 1
      """,
      String.self
    )
  }

  /// Every unit of work took one number of the feed for each record it changed, however often: the highest is how
  /// many there were. What a unit writes is all of one moment; made-up histories, with a number each, are not.
  private func feedFaults() async throws -> [String] {
    try await shop.hall.superuser.rows(
      """
      select format('%s numbers for %s writes', f.numbers, h.writes)
      from (select coalesce(max(seq), 0) as numbers from core.feed where company_id = \(shop.company.id)) f
      cross join (
        select count(distinct (h.request_id, h.record_type, h.record_id, h.occurred_at)) as writes
        from core.history h
        where h.company_id = \(shop.company.id) and (h.transition is null or h.from_status <> h.to_status)
      ) h
      where f.numbers <> h.writes
      """,
      String.self
    )
  }
}
