-- All attempts of all jobs, including successes that only the acknowledgement of a claim records.
--
-- select: fettle_app, fettle_worker, fettle_admin, fettle_auth
create view core.job_run with (security_invoker = true) as
select a.company_id, a.job_id, a.attempt, a.fence, a.worker_id, a.started_at, a.finished_at, a.outcome, a.error
from core.job_attempt a
union all
select p.company_id, p.id, p.attempt + 1, c.no, c.worker_id, c.at, s.at, 'succeeded', null
from core.job_queued p
cross join lateral (
  -- include: claim_of_row of=p columns=c.no,c.worker_id,c.at
) c
join core.job_ack s
  on s.company_id = p.company_id and s.lane = p.lane and s.no = c.no and s.outcome = 'finished'
where not exists (
    select from core.job_attempt a
    where a.company_id = p.company_id and a.job_id = p.id and a.attempt = p.attempt + 1 and a.fence = c.no)
  and not exists (select from core.job_deferred w where w.company_id = p.company_id and w.id = p.id)
  and not exists (select from core.job_end e where e.company_id = p.company_id and e.id = p.id)
  and not exists (
    select from core.job_queued n where n.company_id = p.company_id and n.id = p.id and n.round > p.round);

comment on column core.job_run.company_id is 'The company.';
comment on column core.job_run.job_id is 'The job.';
comment on column core.job_run.attempt is
  'Number of the attempt, from 1; the attempt after a snoozed one has the same number.';
comment on column core.job_run.fence is 'Number of the claim that contained the attempt.';
comment on column core.job_run.worker_id is 'Worker that made the attempt.';
comment on column core.job_run.started_at is
  'Start of the attempt; the time of the claim for a success without a row of its own.';
comment on column core.job_run.finished_at is
  'End of the attempt; the time of the acknowledgement for a success without a row of its own.';
comment on column core.job_run.outcome is
  'Outcome: succeeded, failed, snoozed, lost (with its worker) or cancelled.';
comment on column core.job_run.error is
  'Error of a failed or lost attempt, or reason for a snooze; null if none.';
