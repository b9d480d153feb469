-- Row-level security and grants of the engine's tables.
--
-- Every table with a company_id has row-level security on and forced (so that the owner too is held to the
-- policies) and one permissive policy per role and command; two would be OR-ed. The exceptions have names of
-- their own, and the lints list them:
--   control   workers see the ids in job and timer over all companies, and insert inside one only;
--   doors     fettle_auth, whose functions work before a company is known;
--   operator  fettle_admin, on global tables and job control.
-- fettle_admin inherits from no role, so it has policies and grants of its own.

create function core.attach_tenant_table(target regclass) returns void
  language plpgsql
  set search_path = ''
  set client_min_messages = warning
as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('drop policy if exists tenant on %s', target);
  execute format(
    'create policy tenant on %s to fettle_app, fettle_worker, fettle_admin '
    'using (company_id = (select core.current_company())) '
    'with check (company_id = (select core.current_company()))',
    target);
end
$$;

comment on function core.attach_tenant_table(regclass) is
  'Holds a table to the company of the transaction: row-level security, forced, and its policy. No grants.';

grant usage on schema core to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant execute on function core.current_company(), core.current_user_id()
  to fettle_app, fettle_worker, fettle_admin, fettle_auth;

-- Reference tables: everyone reads, migrations and the installer write.
grant select
  on core.migration, core.app, core.record_type, core.workflow_definition, core.workflow_state,
    core.workflow_edge, core.permission, core.builtin_role, core.builtin_grant
  to fettle_app, fettle_worker, fettle_admin;

-- The template never holds a row; it is closed like the tables made from it.
select core.attach_tenant_table('core.record_base');

-- Companies: each sees itself; operators see and make them.
alter table core.company enable row level security;
alter table core.company force row level security;
create policy self_select on core.company for select to fettle_app, fettle_worker
  using (id = (select core.current_company()));
create policy self_update on core.company for update to fettle_app
  using (id = (select core.current_company()))
  with check (id = (select core.current_company()));
create policy operator on core.company to fettle_admin using (true) with check (true);
create policy doors on core.company for select to fettle_auth using (true);
grant select on core.company to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant update (name, timezone, status, updated_at) on core.company to fettle_app;
grant insert, update (slug, name, timezone, status, updated_at) on core.company to fettle_admin;

-- People: seen by themselves and by those who share the company of the transaction. They are made, and their
-- passwords set, through functions.
alter table core.app_user enable row level security;
alter table core.app_user force row level security;
create policy colleagues on core.app_user for select to fettle_app, fettle_worker
  using (
    id = (select core.current_user_id())
    or exists (
      select from core.membership m
      where m.company_id = (select core.current_company())
        and m.user_id = app_user.id
    )
  );
create policy self_update on core.app_user for update to fettle_app
  using (id = (select core.current_user_id()))
  with check (id = (select core.current_user_id()));
create policy operator on core.app_user to fettle_admin using (true) with check (true);
create policy doors on core.app_user to fettle_auth using (true) with check (true);
grant select (id, email, email_key, name, kind, status, created_at, updated_at) on core.app_user
  to fettle_app, fettle_worker, fettle_admin;
grant update (name, updated_at) on core.app_user to fettle_app;
grant update (email, name, status, updated_at) on core.app_user to fettle_admin;
grant select, insert (id, email, name, kind), update (password_hash, updated_at) on core.app_user
  to fettle_auth;

select core.attach_tenant_table('core.role');
select core.attach_tenant_table('core.role_permission');
grant select on core.role, core.role_permission to fettle_app, fettle_worker, fettle_admin;
grant insert, delete, update (label, updated_at) on core.role to fettle_app, fettle_admin;
grant insert, delete on core.role_permission to fettle_app, fettle_admin;

select core.attach_tenant_table('core.membership');
create policy doors on core.membership for select to fettle_auth using (true);
grant select on core.membership to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant insert, update (role, status, updated_at) on core.membership to fettle_app, fettle_admin;

-- Invitations and tokens: no business of a worker.
select core.attach_tenant_table('core.invite');
select core.attach_tenant_table('core.invite_redemption');
grant select, insert, update (used, revoked_at) on core.invite to fettle_app, fettle_admin;
grant select, insert on core.invite_redemption to fettle_app, fettle_admin;
grant select, insert on core.invite_failure to fettle_app, fettle_admin;
grant delete on core.invite_failure to fettle_admin;

create policy doors on core.invite for select to fettle_auth
  using (company_id = (select core.current_company()));
grant select (company_id, id) on core.invite to fettle_auth;

alter table core.invite_locator enable row level security;
alter table core.invite_locator force row level security;
create policy doors_select on core.invite_locator for select to fettle_auth using (true);
create policy doors_insert on core.invite_locator for insert to fettle_auth
  with check (company_id = (select core.current_company()));
grant select, insert on core.invite_locator to fettle_auth;

select core.attach_tenant_table('core.api_token');
create policy doors_select on core.api_token for select to fettle_auth using (true);
create policy doors_insert on core.api_token for insert to fettle_auth
  with check (company_id = (select core.current_company()));
grant select, insert on core.api_token to fettle_auth;
grant select (id, company_id, user_id, name, scopes, expires_at, last_used_at, revoked_at, created_at),
  update (name, last_used_at, revoked_at)
  on core.api_token to fettle_app, fettle_admin;

alter table core.report_login enable row level security;
alter table core.report_login force row level security;
create policy operator on core.report_login to fettle_admin using (true) with check (true);
create policy doors on core.report_login for select to fettle_auth using (true);
grant select, insert, update (company_id), delete on core.report_login to fettle_admin;
grant select on core.report_login to fettle_auth;

-- Append-only: nobody may update or delete.
select core.attach_tenant_table('core.audit');
select core.attach_tenant_table('core.history');
select core.attach_tenant_table('core.history_seal');
grant select, insert on core.audit, core.history, core.history_seal
  to fettle_app, fettle_worker, fettle_admin;

select core.attach_tenant_table('core.idempotency');
select core.attach_tenant_table('core.sync_gate');
select core.attach_tenant_table('core.feed');
select core.attach_tenant_table('core.attachment');
grant select, insert, update (answer) on core.idempotency to fettle_app, fettle_worker, fettle_admin;
grant delete on core.idempotency to fettle_worker, fettle_admin;
grant select, insert, update (floor) on core.sync_gate to fettle_app, fettle_worker, fettle_admin;
grant select, insert, update on core.feed to fettle_app, fettle_worker, fettle_admin;
grant delete on core.feed to fettle_worker, fettle_admin;
grant select, insert on core.attachment to fettle_app, fettle_worker, fettle_admin;

-- Job control and timers hold ids only: workers see them over all companies.
alter table core.job enable row level security;
alter table core.job force row level security;
create policy tenant on core.job to fettle_app
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy control_select on core.job for select to fettle_worker using (true);
create policy control_update on core.job for update to fettle_worker using (true) with check (true);
create policy control_delete on core.job for delete to fettle_worker using (true);
create policy control_insert on core.job for insert to fettle_worker
  with check (company_id = (select core.current_company()));
create policy operator_select on core.job for select to fettle_admin using (true);
create policy operator_update on core.job for update to fettle_admin
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy operator_insert on core.job for insert to fettle_admin
  with check (company_id = (select core.current_company()));
-- Not company_id: a worker, which may update everywhere, moves no job from one company to another.
grant select, insert,
  update (queue, state, priority, run_at, attempt, max_attempts, fence, lease_until, worker_id, unique_key,
    finished_at)
  on core.job to fettle_app, fettle_worker, fettle_admin;
grant delete on core.job to fettle_worker;

alter table core.timer enable row level security;
alter table core.timer force row level security;
create policy tenant on core.timer to fettle_app, fettle_admin
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy control_select on core.timer for select to fettle_worker using (true);
create policy control_update on core.timer for update to fettle_worker using (true) with check (true);
create policy control_delete on core.timer for delete to fettle_worker using (true);
create policy control_insert on core.timer for insert to fettle_worker
  with check (company_id = (select core.current_company()));
grant select, insert, update (due_at, repeat_every, remaining), delete on core.timer
  to fettle_app, fettle_worker, fettle_admin;

select core.attach_tenant_table('core.job_payload');
select core.attach_tenant_table('core.job_attempt');
grant select, insert on core.job_payload to fettle_app, fettle_worker, fettle_admin;
grant select on core.job_attempt to fettle_app, fettle_admin;
grant select, insert, update on core.job_attempt to fettle_worker;
grant delete on core.job_payload, core.job_attempt to fettle_worker;

grant select on core.worker to fettle_app, fettle_admin;
grant select, insert, update, delete on core.worker to fettle_worker;

select core.attach_tenant_table('core.notification');
grant select, insert, update (state, read_at) on core.notification
  to fettle_app, fettle_worker, fettle_admin;

select core.attach_tenant_table('core.webhook');
create policy doors_select on core.webhook for select to fettle_auth
  using (company_id = (select core.current_company()));
create policy doors_insert on core.webhook for insert to fettle_auth
  with check (company_id = (select core.current_company()));
create policy doors_update on core.webhook for update to fettle_auth
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
grant select, insert, update (secret, updated_at) on core.webhook to fettle_auth;
grant select (company_id, id, url, events, active, created_by, created_at, updated_at) on core.webhook
  to fettle_app, fettle_worker, fettle_admin;
grant update (url, events, active, updated_at), delete on core.webhook to fettle_app, fettle_admin;

revoke execute on all functions in schema core from public;
