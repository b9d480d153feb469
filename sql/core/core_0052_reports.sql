-- Report views over the engine's own tables.

alter table core.report alter column app drop not null;
alter table core.report add column permission text check (permission ~ '^[a-z][a-z0-9_.]*$');

comment on column core.report.app is 'The app that brought it; null: the engine.';
comment on column core.report.permission is
  'Permission that a member needs besides report.read; null: no other.';

-- The reporting logins see rows of private tables never, and of people those of the companies they see.
create or replace function core.attach_report(target regclass) returns void
  language plpgsql
  set search_path = ''
  set client_min_messages = warning
as $$
declare
  base record;
begin
  if not exists (
    select from pg_catalog.pg_class
    where oid = target and relkind = 'v' and 'security_invoker=true' = any (reloptions)
  ) then
    raise exception '% is not a view with security_invoker = true', target;
  end if;

  for base in
    select t.oid::regclass as name, t.relkind as kind, t.relrowsecurity as is_protected,
      string_agg(format('%I', a.attname), ', ' order by a.attnum) as columns,
      case
        when t.oid = 'core.company'::regclass then 'id = (select core.report_company())'
        when t.oid = 'core.app_user'::regclass then
          'exists (select from core.membership m '
          'where m.company_id = (select core.report_company()) and m.user_id = app_user.id)'
        else 'company_id = (select core.report_company())'
      end as own_rows,
      exists (
        select from pg_catalog.pg_policy p where p.polrelid = t.oid and p.polname = 'owner_private'
      ) as is_private
    from pg_catalog.pg_rewrite w
    join pg_catalog.pg_depend d
      on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = w.oid
      and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid <> target
    join pg_catalog.pg_class t on t.oid = d.refobjid
    join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
    where w.ev_class = target
      and d.refobjsubid > 0
    group by t.oid
    order by t.oid
  loop
    if base.kind not in ('r', 'p') then
      raise exception 'report % reads %, which is not a table', target, base.name;
    end if;

    execute format(
      'grant select (%s) on %s to fettle_report, fettle_report_company', base.columns, base.name);
    if base.is_protected then
      execute format('drop policy if exists report on %s', base.name);
      execute format(
        'create policy report on %s for select to fettle_report using (%s)', base.name,
        (not base.is_private)::text);
      execute format('drop policy if exists report_company on %s', base.name);
      execute format(
        'create policy report_company on %s for select to fettle_report_company using (%s)',
        base.name, case when base.is_private then 'false' else base.own_rows end);
    end if;
  end loop;

  execute format(
    'grant select on %s to fettle_report, fettle_report_company, fettle_app, fettle_worker, fettle_admin',
    target);
end
$$;

drop view report.v1_report;

create view report.v1_report with (security_invoker = true) as
select
  r.name,
  coalesce(r.app, 'core') as app,
  r.title,
  r.view_name,
  r.sort_order,
  r.permission
from core.report r;

comment on view report.v1_report is 'The reports of the engine and of the installed apps.';
comment on column report.v1_report.name is 'Name of the report in commands.';
comment on column report.v1_report.app is 'The app that brought it; core: the engine.';
comment on column report.v1_report.title is 'Title in one line.';
comment on column report.v1_report.view_name is 'Its view in the schema report.';
comment on column report.v1_report.sort_order is 'Columns that sort it; a leading minus: descending.';
comment on column report.v1_report.permission is
  'Permission that a member needs besides report.read; null: no other.';

create view report.v1_member with (security_invoker = true) as
select
  m.company_id,
  c.slug as company,
  u.name as member,
  u.email,
  u.kind,
  m.role,
  m.status,
  u.status as account_status,
  m.created_at as joined_at,
  i.name as invited_by
from core.membership m
join core.company c on c.id = m.company_id
join core.app_user u on u.id = m.user_id
left join core.app_user i on i.id = m.invited_by
where m.status <> 'removed';

comment on view report.v1_member is 'Members of each company with their roles; removed members are left out.';
comment on column report.v1_member.company_id is 'The company.';
comment on column report.v1_member.company is 'Short name of the company.';
comment on column report.v1_member.member is 'Name of the member.';
comment on column report.v1_member.email is 'E-mail address of the member.';
comment on column report.v1_member.kind is 'person, service or visitor.';
comment on column report.v1_member.role is 'Role of the member in the company.';
comment on column report.v1_member.status is 'Status of the membership: active or suspended.';
comment on column report.v1_member.account_status is 'Status of the user in all companies: active or disabled.';
comment on column report.v1_member.joined_at is 'When the membership was created.';
comment on column report.v1_member.invited_by is 'Name of the member who invited; null: an operator.';

create view report.v1_role with (security_invoker = true) as
select
  r.company_id,
  c.slug as company,
  r.name as role,
  r.label,
  r.built_in as is_built_in,
  m.members,
  p.permissions
from core.role r
join core.company c on c.id = r.company_id
cross join lateral (
  select count(*) as members
  from core.membership x
  where x.company_id = r.company_id
    and x.role = r.name
    and x.status = 'active'
) m
cross join lateral (
  select count(*) as permissions
  from (
    select g.permission from core.builtin_grant g where r.built_in and g.role = r.name
    union all
    select o.permission from core.role_permission o where o.company_id = r.company_id and o.role = r.name
  ) x
) p
where c.kind <> 'system';

comment on view report.v1_role is 'Roles of each company, with the number of members and permissions.';
comment on column report.v1_role.company_id is 'The company.';
comment on column report.v1_role.company is 'Short name of the company.';
comment on column report.v1_role.role is 'Name of the role.';
comment on column report.v1_role.label is 'Label of the role.';
comment on column report.v1_role.is_built_in is 'Whether the role exists in every company.';
comment on column report.v1_role.members is 'Number of active members with the role.';
comment on column report.v1_role.permissions is 'Number of permissions that the role has.';

create view report.v1_invite with (security_invoker = true) as
select
  i.company_id,
  c.slug as company,
  i.role,
  i.hint,
  i.email_key as email,
  case
    when i.revoked_at is not null then 'revoked'
    when i.used >= i.max_uses then 'exhausted'
    when i.expires_at <= now() then 'expired'
    else 'active'
  end as status,
  i.used,
  i.max_uses,
  i.created_at,
  i.expires_at,
  u.name as created_by
from core.invite i
join core.company c on c.id = i.company_id
left join core.app_user u on u.id = i.created_by;

comment on view report.v1_invite is 'Invitations and whether they can still be redeemed.';
comment on column report.v1_invite.company_id is 'The company.';
comment on column report.v1_invite.company is 'Short name of the company.';
comment on column report.v1_invite.role is 'Role that the invited person gets.';
comment on column report.v1_invite.hint is 'Note of the inviter.';
comment on column report.v1_invite.email is 'The only address that can redeem it; null: any.';
comment on column report.v1_invite.status is 'active, exhausted, expired or revoked.';
comment on column report.v1_invite.used is 'Number of redemptions.';
comment on column report.v1_invite.max_uses is 'Maximum number of redemptions.';
comment on column report.v1_invite.created_at is 'When it was created.';
comment on column report.v1_invite.expires_at is 'When it expires.';
comment on column report.v1_invite.created_by is 'Name of the inviter; null: an operator.';

create view report.v1_audit with (security_invoker = true) as
select
  a.company_id,
  c.slug as company,
  a.at,
  a.actor_kind,
  coalesce(nullif(a.actor_name, ''), u.name) as actor,
  b.name as on_behalf_of,
  a.action,
  a.subject_type,
  a.subject_id,
  a.detail
from core.audit a
join core.company c on c.id = a.company_id
left join core.app_user u on u.id = a.actor_id
left join core.app_user b on b.id = a.on_behalf_of;

comment on view report.v1_audit is 'Audit: changes of people, roles and settings.';
comment on column report.v1_audit.company_id is 'The company; the system company for changes of none.';
comment on column report.v1_audit.company is 'Short name of the company.';
comment on column report.v1_audit.at is 'When.';
comment on column report.v1_audit.actor_kind is 'member, device, token, operator or system.';
comment on column report.v1_audit.actor is 'Name of the actor.';
comment on column report.v1_audit.on_behalf_of is 'Name of the member for whom an operator acted.';
comment on column report.v1_audit.action is 'The action, such as member.added.';
comment on column report.v1_audit.subject_type is 'Type of the subject, such as member.';
comment on column report.v1_audit.subject_id is 'Id or name of the subject.';
comment on column report.v1_audit.detail is 'Details of the change.';

create view report.v1_job with (security_invoker = true) as
select
  j.company_id,
  c.slug as company,
  j.queue,
  j.kind,
  coalesce(sum(j.jobs) filter (where j.state = 'waiting'), 0) as waiting,
  coalesce(sum(j.jobs) filter (where j.state = 'deferred'), 0) as deferred,
  coalesce(sum(j.jobs) filter (where j.state = 'retrying'), 0) as retrying,
  coalesce(sum(j.jobs) filter (where j.state = 'running'), 0) as running,
  coalesce(sum(j.jobs) filter (where j.state = 'dead'), 0) as dead,
  coalesce(sum(j.jobs) filter (where j.state = 'cancelled'), 0) as cancelled
from (
  select t.company_id, t.queue, t.kind, 'waiting' as state, t.posted - t.claimed as jobs
  from core.job_tally t
  union all
  select w.company_id, w.queue, w.kind, case when w.attempt = 0 then 'deferred' else 'retrying' end, 1
  from core.job_wait w
  union all
  select k.company_id, t.queue, t.kind, 'running', k.jobs
  from core.job_claim k
  join core.job_tally t on t.company_id = k.company_id and t.lane = k.lane
  where not exists (
    select from core.job_settlement s
    where s.company_id = k.company_id and s.lane = k.lane and s.no = k.no
  )
  union all
  select e.company_id, e.queue, e.kind, e.state, 1
  from core.job_end e
) j
join core.company c on c.id = j.company_id
group by j.company_id, c.slug, j.queue, j.kind
having sum(j.jobs) > 0;

comment on view report.v1_job is 'Number of jobs per company, queue and kind that have not succeeded.';
comment on column report.v1_job.company_id is 'The company; the system company for the engine''s own jobs.';
comment on column report.v1_job.company is 'Short name of the company.';
comment on column report.v1_job.queue is 'The queue.';
comment on column report.v1_job.kind is 'The kind of job.';
comment on column report.v1_job.waiting is 'Jobs that can be claimed, as of the last count; workers count every few seconds.';
comment on column report.v1_job.deferred is 'Jobs that were enqueued for a later time.';
comment on column report.v1_job.retrying is 'Jobs that failed and wait for their next attempt.';
comment on column report.v1_job.running is 'Jobs of claims that are not acknowledged yet.';
comment on column report.v1_job.dead is 'Jobs that failed too often.';
comment on column report.v1_job.cancelled is 'Jobs that were cancelled.';

create view report.v1_dead_job with (security_invoker = true) as
select
  e.company_id,
  c.slug as company,
  e.id as job,
  e.queue,
  e.kind,
  e.attempt as attempts,
  a.error,
  e.cause_type,
  e.cause_id,
  e.created_at,
  e.finished_at as died_at
from core.job_end e
join core.company c on c.id = e.company_id
left join lateral (
  select x.error
  from core.job_attempt x
  where x.company_id = e.company_id
    and x.job_id = e.id
    and x.error is not null
  order by x.attempt desc, x.fence desc
  limit 1
) a on true
where e.state = 'dead';

comment on view report.v1_dead_job is 'Dead jobs with the error of their last attempt.';
comment on column report.v1_dead_job.company_id is 'The company; the system company for the engine''s own jobs.';
comment on column report.v1_dead_job.company is 'Short name of the company.';
comment on column report.v1_dead_job.job is 'Id of the job.';
comment on column report.v1_dead_job.queue is 'The queue.';
comment on column report.v1_dead_job.kind is 'The kind of job.';
comment on column report.v1_dead_job.attempts is 'Number of attempts.';
comment on column report.v1_dead_job.error is 'Error of the last attempt; null: it was lost with its worker.';
comment on column report.v1_dead_job.cause_type is 'Type of the record that caused it.';
comment on column report.v1_dead_job.cause_id is 'The record that caused it.';
comment on column report.v1_dead_job.created_at is 'When it was enqueued.';
comment on column report.v1_dead_job.died_at is 'When its last attempt failed.';

create view report.v1_worker with (security_invoker = true) as
select
  c.id as company_id,
  w.host,
  w.pid,
  w.queues,
  w.started_at,
  w.heartbeat_at,
  w.lease_until > now() as is_alive
from core.worker w
cross join core.company c
where c.kind = 'system';

comment on view report.v1_worker is 'Worker processes that run or ran lately.';
comment on column report.v1_worker.company_id is 'The system company: workers belong to no other.';
comment on column report.v1_worker.host is 'Host of the process.';
comment on column report.v1_worker.pid is 'Process id on its host.';
comment on column report.v1_worker.queues is 'Queues that it serves.';
comment on column report.v1_worker.started_at is 'When it started.';
comment on column report.v1_worker.heartbeat_at is 'Its last heartbeat.';
comment on column report.v1_worker.is_alive is 'Whether its lease has not expired.';

create view report.v1_schedule with (security_invoker = true) as
select
  s.company_id,
  c.slug as company,
  s.name as schedule,
  s.kind,
  s.cron,
  coalesce(s.timezone, c.timezone) as timezone,
  s.paused_at is not null as is_paused,
  s.last_at,
  case when s.next_at > '-infinity' then s.next_at end as next_at
from core.schedule s
join core.company c on c.id = s.company_id;

comment on view report.v1_schedule is 'Schedules of each company, with their last and next run.';
comment on column report.v1_schedule.company_id is 'The company.';
comment on column report.v1_schedule.company is 'Short name of the company.';
comment on column report.v1_schedule.schedule is 'Name of the schedule.';
comment on column report.v1_schedule.kind is 'Kind of job that it enqueues.';
comment on column report.v1_schedule.cron is 'Its cron expression.';
comment on column report.v1_schedule.timezone is 'Time zone of the expression.';
comment on column report.v1_schedule.is_paused is 'Whether it is paused.';
comment on column report.v1_schedule.last_at is 'When it last enqueued a job.';
comment on column report.v1_schedule.next_at is 'When it enqueues the next job; null: not computed yet.';

create view report.v1_quota with (security_invoker = true) as
select
  q.company_id,
  c.slug as company,
  q.record_type,
  u.used,
  q.max_records,
  round(100.0 * u.used / nullif(q.max_records, 0), 1) as percent_used
from core.quota q
join core.company c on c.id = q.company_id
cross join lateral (
  select count(*) as used
  from core.feed f
  where f.company_id = q.company_id
    and f.op = 'put'
    and (f.record_type = q.record_type or q.record_type = '*')
) u;

comment on view report.v1_quota is 'Record quotas and how much of them is used.';
comment on column report.v1_quota.company_id is 'The company.';
comment on column report.v1_quota.company is 'Short name of the company.';
comment on column report.v1_quota.record_type is 'Record type of the quota; *: all types together.';
comment on column report.v1_quota.used is 'Number of records that count towards it.';
comment on column report.v1_quota.max_records is 'Maximum number of records.';
comment on column report.v1_quota.percent_used is 'Percentage used; null for a quota of 0.';

insert into core.report (name, app, title, view_name, sort_order, permission)
values
  ('members', null, 'Members of each company and their roles', 'v1_member', '{company,member}', 'member.read'),
  ('roles', null, 'Roles of each company with members and permissions', 'v1_role', '{company,role}', 'role.read'),
  ('invites', null, 'Invitations and their status', 'v1_invite', '{company,-created_at}', 'invite.read'),
  ('audit', null, 'Changes of people, roles and settings', 'v1_audit', '{-at}', 'audit.read'),
  ('jobs', null, 'Jobs per queue and kind that have not succeeded', 'v1_job', '{company,queue,kind}', 'job.read'),
  ('dead_jobs', null, 'Dead jobs and their last error', 'v1_dead_job', '{company,-died_at}', 'job.read'),
  ('workers', null, 'Worker processes and their heartbeats', 'v1_worker', '{-heartbeat_at}', 'job.read'),
  ('schedules', null, 'Schedules with their last and next run', 'v1_schedule', '{company,schedule}', 'job.read'),
  ('quotas', null, 'Record quotas and how much is used', 'v1_quota', '{company,record_type}', 'company.read');

select core.attach_report(format('report.%I', v.name)::regclass)
from unnest(array[
  'v1_report', 'v1_member', 'v1_role', 'v1_invite', 'v1_audit', 'v1_job', 'v1_dead_job', 'v1_worker', 'v1_schedule', 'v1_quota'
]) v (name);
