internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Checks that all records of a company are consistent with the traces of their changes.
///
/// The engine's triggers write nothing, so only the unit of work keeps rows, history, feed and jobs
/// consistent. A change of one without the others is found by `fettle verify`, and by counts that are valid
/// as long as no cleanup has run.
package struct Integrity {
  package let shop: Workshop

  package init(shop: Workshop) { self.shop = shop }

  /// Returns the inconsistencies as text; empty if there are none.
  ///
  /// - Parameter withNotices: false for generated records, which send no notices.
  package func faults(withNotices: Bool = true) async throws -> [String] {
    let report = try await Verification(shop.engine.operators, catalogue: shop.engine.catalogue).run([
      shop.company
    ])
    let faults = report.findings.map {
      "\($0.type ?? "") \($0.record?.text ?? ""): \($0.code.rawValue), \($0.what)"
    }
    return try await faults + (withNotices ? jobFaults() : []) + feedFaults()
  }

  /// Checks that each start and completion has its one notice, and that no notice lacks its cause.
  private func jobFaults() async throws -> [String] {
    try await shop.engine.superuser.rows(
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

  /// Checks that each unit of work took one feed number per changed record, and further ones for records that show
  /// something of these: the highest number is at least the count of changes. All rows of a unit have the same time.
  /// Generated histories, with a number per entry, are an exception.
  private func feedFaults() async throws -> [String] {
    try await shop.engine.superuser.rows(
      """
      select format('%s numbers for %s writes', f.numbers, h.writes)
      from (select coalesce(max(seq), 0) as numbers from core.feed where company_id = \(shop.company.id)) f
      cross join (
        select count(distinct (h.request_id, h.record_type, h.record_id, h.occurred_at)) as writes
        from core.history h
        where h.company_id = \(shop.company.id) and (h.transition is null or h.from_status <> h.to_status)
      ) h
      where f.numbers < h.writes
      """,
      String.self
    )
  }
}
