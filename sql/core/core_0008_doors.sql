-- The doors: what must be answered before a company is known, and the only ways to write a secret.
--
-- They run as fettle_auth, which has policies and grants on just the tables they name. Secrets leave through
-- three of them, each open to the one role that needs it: login_lookup and token_lookup (the server compares
-- hashes), webhook_secret (a worker signs). fettle_admin writes secrets and never reads one.
-- The path ends in pg_temp: a temporary table cannot take the place of one of ours.

-- A function's body is checked as its maker, who is still the owner here: under row_security = off that is
-- refused for any table with policies.
set local row_security = on;

create function core.login_lookup(p_email_key text)
  returns table (user_id uuid, name text, kind text, status text, password_hash text)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select u.id, u.name, u.kind, u.status, u.password_hash
  from core.app_user u
  where u.email_key = p_email_key
$$;

comment on function core.login_lookup(text) is 'Who signs in with this address, and the hash to compare.';

create function core.user_by_email(p_email_key text)
  returns table (id uuid, email text, name text, kind text, status text)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select u.id, u.email, u.name, u.kind, u.status
  from core.app_user u
  where u.email_key = p_email_key
$$;

comment on function core.user_by_email(text) is 'The user of this address, in whatever company.';

create function core.company_by_slug(p_slug text)
  returns table (id uuid, slug text, name text, kind text, timezone text, status text)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select c.id, c.slug, c.name, c.kind, c.timezone, c.status
  from core.company c
  where c.slug = p_slug
$$;

comment on function core.company_by_slug(text) is 'The company of this short name, to enter it.';

create function core.companies_of(p_user_id uuid)
  returns table (
    company_id uuid, slug text, name text, kind text, status text, role text, membership_status text)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select c.id, c.slug, c.name, c.kind, c.status, m.role, m.status
  from core.membership m
  join core.company c on c.id = m.company_id
  where m.user_id = p_user_id
  order by c.slug
$$;

comment on function core.companies_of(uuid) is 'The companies that a user is or was a member of.';

create function core.token_lookup(p_id uuid)
  returns table (
    company_id uuid, user_id uuid, secret_hash bytea, scopes text[],
    expires_at timestamptz, last_used_at timestamptz, revoked_at timestamptz)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select t.company_id, t.user_id, t.secret_hash, t.scopes, t.expires_at, t.last_used_at, t.revoked_at
  from core.api_token t
  where t.id = p_id
$$;

comment on function core.token_lookup(uuid) is
  'A token''s company, owner and bounds, and the hash to compare.';

create function core.invite_locate(p_code_hmac bytea)
  returns table (company_id uuid, invite_id uuid)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select l.company_id, l.invite_id
  from core.invite_locator l
  where l.code_hmac = p_code_hmac
$$;

comment on function core.invite_locate(bytea) is
  'Where an invite code leads. Whether it still counts is decided inside the company.';

create function core.create_user(p_id uuid, p_email text, p_name text, p_kind text default 'person')
  returns uuid
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  insert into core.app_user (id, email, name, kind)
  values (p_id, p_email, p_name, p_kind)
  on conflict (email_key) do nothing
  returning id
$$;

comment on function core.create_user(uuid, text, text, text) is
  'Makes a user without a password and returns the id; null if the address is taken (ask user_by_email).';

create function core.set_password_hash(p_user_id uuid, p_password_hash text) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with changed as (
    update core.app_user
    set password_hash = p_password_hash, updated_at = transaction_timestamp()
    where id = p_user_id
    returning id
  )
  select exists (select from changed)
$$;

comment on function core.set_password_hash(uuid, text) is 'Sets the hash of a password; false: no such user.';

create function core.create_invite_locator(p_code_hmac bytea, p_company_id uuid, p_invite_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
begin
  insert into core.invite_locator (code_hmac, company_id, invite_id)
  select p_code_hmac, i.company_id, i.id
  from core.invite i
  where i.company_id = p_company_id
    and i.id = p_invite_id;
  if not found then
    raise exception 'no such invitation in this company' using errcode = 'foreign_key_violation';
  end if;
end
$$;

comment on function core.create_invite_locator(bytea, uuid, uuid) is
  'Lets a code find its invitation, which must be one of the transaction''s company.';

create function core.create_token(
  p_id uuid,
  p_company_id uuid,
  p_user_id uuid,
  p_name text,
  p_secret_hash bytea,
  p_scopes text[],
  p_expires_at timestamptz default null
) returns void
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
begin
  insert into core.api_token (id, company_id, user_id, name, secret_hash, scopes, expires_at)
  select p_id, m.company_id, m.user_id, p_name, p_secret_hash, p_scopes, p_expires_at
  from core.membership m
  where m.company_id = p_company_id
    and m.user_id = p_user_id
    and m.status = 'active';
  if not found then
    raise exception 'no such active member in this company' using errcode = 'foreign_key_violation';
  end if;
end
$$;

comment on function core.create_token(uuid, uuid, uuid, text, bytea, text[], timestamptz) is
  'Makes a token for an active member of the transaction''s company.';

create function core.create_webhook(
  p_company_id uuid,
  p_id uuid,
  p_url text,
  p_secret bytea,
  p_events text[],
  p_created_by uuid default null
) returns void
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  insert into core.webhook (company_id, id, url, secret, events, created_by)
  values (p_company_id, p_id, p_url, p_secret, p_events, p_created_by)
$$;

comment on function core.create_webhook(uuid, uuid, text, bytea, text[], uuid) is
  'Makes a webhook of the transaction''s company.';

create function core.set_webhook_secret(p_company_id uuid, p_id uuid, p_secret bytea) returns boolean
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with changed as (
    update core.webhook
    set secret = p_secret, updated_at = transaction_timestamp()
    where company_id = p_company_id
      and id = p_id
    returning id
  )
  select exists (select from changed)
$$;

comment on function core.set_webhook_secret(uuid, uuid, bytea) is
  'Changes what a webhook of the transaction''s company is signed with; false: no such webhook.';

create function core.webhook_secret(p_company_id uuid, p_id uuid) returns bytea
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select w.secret
  from core.webhook w
  where w.company_id = p_company_id
    and w.id = p_id
$$;

comment on function core.webhook_secret(uuid, uuid) is
  'What a webhook of the transaction''s company is signed with.';

-- Of the login, never of a setting: there is nothing that a report's text could change.
create function core.report_company() returns uuid
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select l.company_id
  from core.report_login l
  where l.role_name = session_user
$$;

comment on function core.report_company() is 'The one company whose reports this database login reads.';

revoke execute on all functions in schema core from public;

grant execute on function core.login_lookup(text), core.token_lookup(uuid) to fettle_app;
grant execute on function core.webhook_secret(uuid, uuid) to fettle_worker;
grant execute on function core.report_company() to fettle_report_company;
grant execute on function
    core.user_by_email(text),
    core.company_by_slug(text),
    core.companies_of(uuid),
    core.invite_locate(bytea),
    core.create_user(uuid, text, text, text),
    core.set_password_hash(uuid, text),
    core.create_invite_locator(bytea, uuid, uuid),
    core.create_token(uuid, uuid, uuid, text, bytea, text[], timestamptz),
    core.create_webhook(uuid, uuid, text, bytea, text[], uuid),
    core.set_webhook_secret(uuid, uuid, bytea)
  to fettle_app, fettle_admin;

-- Last, because an owner of fettle_auth's functions is not fettle_owner any more.
grant create on schema core to fettle_auth;
alter function core.login_lookup(text) owner to fettle_auth;
alter function core.user_by_email(text) owner to fettle_auth;
alter function core.company_by_slug(text) owner to fettle_auth;
alter function core.companies_of(uuid) owner to fettle_auth;
alter function core.token_lookup(uuid) owner to fettle_auth;
alter function core.invite_locate(bytea) owner to fettle_auth;
alter function core.create_user(uuid, text, text, text) owner to fettle_auth;
alter function core.set_password_hash(uuid, text) owner to fettle_auth;
alter function core.create_invite_locator(bytea, uuid, uuid) owner to fettle_auth;
alter function core.create_token(uuid, uuid, uuid, text, bytea, text[], timestamptz) owner to fettle_auth;
alter function core.create_webhook(uuid, uuid, text, bytea, text[], uuid) owner to fettle_auth;
alter function core.set_webhook_secret(uuid, uuid, bytea) owner to fettle_auth;
alter function core.webhook_secret(uuid, uuid) owner to fettle_auth;
alter function core.report_company() owner to fettle_auth;
revoke create on schema core from fettle_auth;
