internal import Domain
internal import Postgres
internal import Store

extension CompanyCheck {
  /// Checks that every job has its cause, that every open job is claimed or claimable, and that every used
  /// idempotency key has an answer.
  mutating func checkWork() throws {
    try find(
      .jobWithoutCause,
      type: nil,
      """
      select p.job_id, 'its cause, entry ' || coalesce(p.payload ->> 'history_seq', '1') || ' of ' || p.cause_type
        || ' ' || p.cause_id || ', is not there'
      from core.job_subjects() p
      where p.company_id = \(company.id) and p.cause_type is not null and p.cause_id is not null
        and exists (select from core.record_type t where t.name = p.cause_type)
        and not exists (
          select from core.history_event(
            p.cause_type, p.cause_id, coalesce((p.payload ->> 'history_seq')::bigint, 1)))
      """
    )
    try find(
      .jobNotClaimable,
      type: nil,
      """
      select j.id, case
          when j.state <> 'running' then 'it is ' || j.state || ' after ' || j.attempt || ' of ' || j.max_attempts
            || ' attempts'
          when j.lease_until is null then 'it is running, and nobody runs it'
          else 'its lease lasts until ' || j.lease_until
        end
      from core.job j
      where j.company_id = \(company.id) and j.state in ('queued', 'retrying', 'running')
        and (j.state <> 'running' and j.attempt >= j.max_attempts
          or j.state = 'running' and j.lease_until is null
          or j.lease_until > now() + interval '1 day')
      """
    )
    try find(
      .keyWithoutAnswer,
      type: nil,
      """
      select null::uuid, 'the key ' || left(i.key, 60) || ' was used and has no answer'
      from core.idempotency i
      where i.company_id = \(company.id) and i.answer is null
      """
    )
  }

  /// Checks that the company has a gate and the built-in roles, and that feed rows have valid numbers and
  /// times.
  mutating func checkCompany() throws {
    try find(
      .companyIncomplete,
      type: nil,
      """
      select null::uuid, x.fault
      from (values
        (case when not exists (select from core.sync_gate g where g.company_id = \(company.id))
              then 'it has no gate' end),
        (case when exists (
                select from core.builtin_role b
                where not exists (
                  select from core.role r where r.company_id = \(company.id) and r.name = b.name and r.built_in))
              then 'it lacks a built-in role' end)
      ) x (fault)
      where x.fault is not null
      """
    )
    try find(
      .feedOrder,
      type: nil,
      """
      select f.record_id, case
          when f.changed_at > now() + interval '1 minute' then 'the feed has a change of ' || f.changed_at
          else 'the feed has it under the number ' || f.seq
        end
      from core.feed f
      where f.company_id = \(company.id) and (f.changed_at > now() + interval '1 minute' or f.seq < 1)
      """
    )
  }
}
