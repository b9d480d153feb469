import Domain
import Engine
import FoundationEssentials
import Postgres
import Store

/// Whether every record of a company agrees with what its changes left behind.
///
/// The engine's triggers write nothing, so nothing but the unit of work keeps rows, history, feed and jobs
/// together: whoever changes one without the others is found here.
struct Integrity {
  let shop: Workshop

  /// What does not hold, in words; empty when all does.
  func faults() async throws -> [String] {
    var faults: [String] = []
    for type in shop.hall.catalogue.types {
      let table = type.definition.table.split(separator: ".").map(String.init)
      let status: SQL = type.workflow == nil ? "null::text" : "t.status"
      faults += try await shop.hall.superuser.rows(
        """
        select format('%s %s: %s', \(type.name), t.id, x.fault)
        from \(identifier: table[0], table[1]) t
        cross join lateral (
          select count(*) as entries, coalesce(max(h.seq), 0) as last,
            count(*) filter (where h.kind <> 'transition' or e.by_system is not true or h.from_status <> h.to_status)
              as writes,
            (array_agg(h.hash order by h.seq desc))[1] as hash,
            (array_agg(h.to_status order by h.seq desc) filter (where h.to_status is not null))[1] as status,
            bool_and(h.from_status is not distinct from h.before or h.kind <> 'transition') as joined
          from (
            select h.*, last_value(h.to_status) over (
              partition by h.record_id order by h.seq rows between unbounded preceding and 1 preceding) as before
            from core.history h
            where h.company_id = t.company_id and h.record_type = \(type.name) and h.record_id = t.id
          ) h
          left join core.workflow_edge e
            on e.record_type = \(type.name) and e.version = h.definition_version and e.transition = h.transition
            and e.from_status = h.from_status
        ) h
        left join lateral (
          select count(*) as rows, max(f.version) as version
          from core.feed f
          where f.company_id = t.company_id and f.record_type = \(type.name) and f.record_id = t.id
        ) f on true
        cross join lateral (values
          (case when h.entries <> t.history_seq or h.last <> t.history_seq then 'history has gaps or is cut' end),
          (case when h.hash is distinct from t.history_hash then 'the head is not the last entry' end),
          (case when h.writes <> t.version then format('version %s after %s writes', t.version, h.writes) end),
          (case when f.rows <> 1 or f.version <> t.version then 'the feed does not have this version' end),
          (case when h.status is distinct from \(status) then 'status is not the fold of history' end)
        ) x (fault)
        where t.company_id = \(shop.company.id) and x.fault is not null
        """,
        String.self
      )
      let ids = try await shop.hall.superuser.rows(
        "select t.id, t.created_by from \(identifier: table[0], table[1]) t where t.company_id = \(shop.company.id)",
        UUID.self,
        UUID?.self
      )
      for (id, owner) in ids {
        // What is private to somebody only they can verify.
        let own = owner.map { Seat(company: shop.company, actor: .member($0), user: $0) }
        let seat = type.definition.scope == .owner ? own ?? shop.office : shop.office
        if let found = try await shop.records.verify(seat, type: type.name, id: id) {
          faults.append("\(type.name) \(id): entry \(found.seq) is \(found.reason.rawValue)")
        }
      }
    }
    return try await faults + jobFaults() + feedFaults()
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

  /// Every write took one number of the feed: the highest is how many there were.
  private func feedFaults() async throws -> [String] {
    try await shop.hall.superuser.rows(
      """
      select format('%s numbers for %s writes', f.numbers, h.writes)
      from (select coalesce(max(seq), 0) as numbers from core.feed where company_id = \(shop.company.id)) f
      cross join (
        select count(*) as writes
        from core.history h
        where h.company_id = \(shop.company.id) and (h.transition is null or h.from_status <> h.to_status)
      ) h
      where f.numbers <> h.writes
      """,
      String.self
    )
  }
}
