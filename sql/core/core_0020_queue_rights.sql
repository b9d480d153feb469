-- The weeks that the queue begins with, and who may do what with its tables.
-- Partitions of a week, and who may do what. Nobody has rights on a partition itself.
create function core.open_job_week(p_week date) returns void
  language plpgsql
  set search_path = ''
  set client_min_messages = warning
as $$
declare
  parent text;
  partition text;
begin
  foreach parent in array array['job_post', 'job_claim', 'job_settlement', 'job_attempt', 'job_note'] loop
    partition := format('%s_%s', parent, to_char(p_week, 'YYYYMMDD'));
    if to_regclass(format('core.%I', partition)) is null then
      execute format(
        'create table core.%I partition of core.%I for values from (%L) to (%L)',
        partition, parent, p_week, p_week + 7);
      execute format('alter table core.%I enable row level security', partition);
      execute format('alter table core.%I force row level security', partition);
    end if;
  end loop;
end
$$;

comment on function core.open_job_week(date) is 'Makes the partitions of the week that begins on this Monday, unless they are there.';
revoke execute on function core.open_job_week(date) from public;

do $$
declare
  parent text;
begin
  perform core.open_job_week((date_trunc('week', now()) + n * interval '1 week')::date) from generate_series(-1, 3) n;
  -- What is posted in a week that nobody opened is still posted.
  foreach parent in array array['job_post', 'job_claim', 'job_settlement', 'job_attempt', 'job_note'] loop
    execute format('create table core.%I partition of core.%I default', parent || '_rest', parent);
    execute format('alter table core.%I enable row level security', parent || '_rest');
    execute format('alter table core.%I force row level security', parent || '_rest');
  end loop;
end
$$;

do $$
declare
  target text;
begin
  foreach target in array array['job_post', 'job_claim', 'job_settlement', 'job_wait', 'job_end', 'job_key', 'job_stop', 'job_begin'] loop
    execute format('alter table core.%I enable row level security', target);
    execute format('alter table core.%I force row level security', target);
    execute format(
      'create policy tenant on core.%I to fettle_app, fettle_worker '
      'using (company_id = (select core.current_company())) '
      'with check (company_id = (select core.current_company()))', target);
    execute format('create policy operator_select on core.%I for select to fettle_admin using (true)', target);
    execute format(
      'create policy operator_insert on core.%I for insert to fettle_admin '
      'with check (company_id = (select core.current_company()))', target);
    execute format(
      'create policy operator_update on core.%I for update to fettle_admin '
      'using (company_id = (select core.current_company())) '
      'with check (company_id = (select core.current_company()))', target);
    execute format(
      'create policy operator_delete on core.%I for delete to fettle_admin '
      'using (company_id = (select core.current_company()))', target);
    execute format('create policy doors on core.%I to fettle_auth using (true) with check (true)', target);
  end loop;
end
$$;

grant select on core.job_post, core.job_wait, core.job_end to fettle_app, fettle_worker, fettle_auth;
-- An operator sees every company's jobs, and what they are about only from inside its company.
grant select (week, company_id, lane, xid, id, round, queue, kind, priority, attempt, max_attempts, is_alone,
    unique_key, created_at, posted_at, cause_type, cause_id, trace_id)
  on core.job_post to fettle_admin;
grant select (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, is_alone,
    unique_key, created_at, cause_type, cause_id, trace_id)
  on core.job_wait to fettle_admin;
grant select (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts,
    unique_key, created_at, cause_type, cause_id, trace_id)
  on core.job_end to fettle_admin;
grant insert on core.job_post, core.job_wait, core.job_end to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant update (run_at) on core.job_wait to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant delete on core.job_wait, core.job_end to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant select on core.job_claim, core.job_settlement to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant insert on core.job_claim to fettle_auth;
-- A row is locked by whoever may update it; nothing is.
grant update (at) on core.job_claim to fettle_auth;
grant insert on core.job_settlement to fettle_worker, fettle_auth;
grant select, insert, delete on core.job_key, core.job_stop to fettle_app, fettle_worker, fettle_admin, fettle_auth;
-- What failed and what was told is read inside the company only.
select core.attach_tenant_table('core.job_attempt');
select core.attach_tenant_table('core.job_note');
create policy doors on core.job_attempt to fettle_auth using (true) with check (true);
grant select, insert, delete on core.job_begin to fettle_auth;
grant update (job_id, until, is_ended) on core.job_key to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant select on core.job_attempt, core.job_note to fettle_app, fettle_worker, fettle_admin;
grant select on core.job_attempt to fettle_auth;
grant insert on core.job_attempt to fettle_worker, fettle_auth;
grant insert on core.job_note to fettle_worker;

alter table core.worker
  add column lease_until  timestamptz not null default now(),
  add column oldest_batch bigint not null default 0;
comment on column core.worker.lease_until is 'After this it is taken for lost, unless it says before that it is alive.';
comment on column core.worker.oldest_batch is 'All batches of claims before this one are settled.';
grant select, delete, update (lease_until) on core.worker to fettle_auth;
