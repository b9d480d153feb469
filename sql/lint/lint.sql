-- Lints: rules about the database catalogue. A lint is a line `-- lint: name — rule` and one SELECT, which
-- returns the objects that violate the rule; a valid schema has none. For each lint, planted/ has a file of the
-- same name that violates the rule. A test runs the file as a superuser in a transaction and rolls it back.
--
-- The lints check all schemas owned by fettle_owner, and so the schemas of all apps. A tenant table is a table
-- with a company_id, except for api_token, invite_locator and report_login: these are global, because they are
-- read before a company is known.

-- lint: global_tables — a table without company_id is on the closed list of global tables
select c.oid::regclass::text as object
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspowner = 'fettle_owner'::regrole
  and c.relkind in ('r', 'p', 'f')
  and not exists (
    select from pg_attribute a
    where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
  )
  and c.oid::regclass::text not in (
    values
      ('core.app'), ('core.app_schedule'), ('core.app_user'), ('core.builtin_grant'), ('core.builtin_role'), ('core.company'), ('core.erasure'),
      ('core.former_name'), ('core.identity'),
      ('core.recovery_code'), ('core.second_factor'), ('core.sign_in'),
      ('core.invite_failure'), ('core.job_channel'), ('core.migration'), ('core.permission'), ('core.rate'), ('core.record_type'), ('core.mail_profile'), ('core.mail_request'), ('core.mail_token'), ('core.installation'), ('core.installation_key'),
      ('core.report'), ('core.routine'), ('core.sync_channel'), ('core.worker'), ('core.workflow_definition'), ('core.workflow_edge'), ('core.workflow_state'),
      ('maintenance.base_category_template')
  );

-- lint: routines_have_files — every function and view comes from an applied file, and each file's object exists
select coalesce(o.name, r.name) as object
from (
  select n.nspname || '.' || p.proname as name, 'function' as kind
  from pg_proc p
  join pg_namespace n on n.oid = p.pronamespace
  where n.nspowner = 'fettle_owner'::regrole
  union all
  select n.nspname || '.' || c.relname, 'view'
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where n.nspowner = 'fettle_owner'::regrole and c.relkind = 'v'
    -- The installer makes these from the manifests.
    and not (
      n.nspname = 'report'
      and exists (select from core.record_type t where t.flat_view = c.relname)
    )
) o
full join core.routine r on r.name = o.name and r.kind = o.kind
where o.name is null or r.name is null
union all
-- One function per name: a file is named after its function, and overloads would share the name.
select format('%s.%s with several lists of parameters', n.nspname, p.proname)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspowner = 'fettle_owner'::regrole
group by n.nspname, p.proname
having count(*) > 1;

-- lint: row_security — row-level security is forced on company, user and every table with a company_id
select c.oid::regclass::text as object
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspowner = 'fettle_owner'::regrole
  and c.relkind in ('r', 'p', 'f')
  and (
    c.oid::regclass::text in (
      'core.company', 'core.app_user', 'core.former_name', 'core.identity', 'core.recovery_code', 'core.second_factor',
      'core.sign_in')
    or exists (
      select from pg_attribute a
      where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
    )
  )
  and not (c.relrowsecurity and c.relforcerowsecurity);

-- lint: policy_per_command — a role with the right to a command on a protected table has a policy for it
select format('%s on %s for %s', command.name, c.oid::regclass, r.rolname) as object
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
cross join (values ('SELECT', 'r'), ('INSERT', 'a'), ('UPDATE', 'w'), ('DELETE', 'd')) command (name, code)
cross join pg_roles r
where n.nspowner = 'fettle_owner'::regrole
  and c.relrowsecurity
  and r.rolname in (
    'fettle_admin', 'fettle_app', 'fettle_worker', 'fettle_auth', 'fettle_report', 'fettle_report_company')
  and case command.name
    when 'DELETE' then has_table_privilege(r.oid, c.oid, 'DELETE')
    else has_any_column_privilege(r.oid, c.oid, command.name)
  end
  and not exists (
    select from pg_policy p
    where p.polrelid = c.oid
      and p.polpermissive
      and p.polcmd in ('*', command.code::"char")
      and r.oid = any (p.polroles)
  );

-- lint: one_permissive_policy — one permissive policy per table, role and command: PostgreSQL combines two with OR
select format('%s and %s on %s', a.polname, b.polname, a.polrelid::regclass) as object
from pg_policy a
join pg_policy b on b.polrelid = a.polrelid and b.oid > a.oid
where a.polpermissive
  and b.polpermissive
  and (a.polcmd = b.polcmd or '*' in (a.polcmd, b.polcmd))
  and (a.polroles && b.polroles or 0 = any (a.polroles || b.polroles));

-- lint: policy_for_public — no policy applies to PUBLIC
select format('%s on %s', p.polname, p.polrelid::regclass) as object
from pg_policy p
where 0 = any (p.polroles);

-- lint: policy_true — a policy that admits all rows is on the list of named exceptions
select format('%s on %s', p.polname, p.polrelid::regclass) as object
from pg_policy p
where 'true' in (
    coalesce(pg_get_expr(p.polqual, p.polrelid), ''), coalesce(pg_get_expr(p.polwithcheck, p.polrelid), ''))
  and (p.polrelid::regclass::text, p.polname, array_to_string(p.polroles::regrole[], ',')) not in (
    values
      ('core.app_user', 'eraser', 'fettle_eraser'),
      ('core.former_name', 'eraser', 'fettle_eraser'),
      ('core.identity', 'eraser', 'fettle_eraser'),
      ('core.recovery_code', 'eraser', 'fettle_eraser'),
      ('core.second_factor', 'eraser', 'fettle_eraser'),
      ('core.sign_in', 'eraser', 'fettle_eraser'),
      ('core.mail_profile', 'eraser', 'fettle_eraser'),
      ('core.mail_request', 'eraser', 'fettle_eraser'),
      ('core.mail_token', 'eraser', 'fettle_eraser'),
      ('core.invite_failure', 'eraser', 'fettle_eraser'),
      ('core.company', 'operator', 'fettle_admin'),
      ('core.company', 'auth', 'fettle_auth'),
      ('core.former_name', 'operator', 'fettle_admin'),
      ('core.former_name', 'auth', 'fettle_auth'),
      ('core.app_user', 'operator', 'fettle_admin'),
      ('core.app_user', 'auth', 'fettle_auth'),
      ('core.membership', 'auth', 'fettle_auth'),
      ('core.identity', 'auth', 'fettle_auth'),
      ('core.recovery_code', 'auth', 'fettle_auth'),
      ('core.second_factor', 'auth', 'fettle_auth'),
      ('core.sign_in', 'auth', 'fettle_auth'),
      ('core.invite_failure', 'operator', 'fettle_admin'),
      ('core.invite_failure', 'auth', 'fettle_auth'),
      ('core.invite_locator', 'auth_select', 'fettle_auth'),
      ('core.api_token', 'auth_select', 'fettle_auth'),
      ('core.api_token', 'auth_update', 'fettle_auth'),
      ('core.session', 'auth', 'fettle_auth'),
      ('core.device', 'auth', 'fettle_auth'),
      ('core.feed', 'auth', 'fettle_auth'),
      ('core.sync_item', 'auth', 'fettle_auth'),
      ('core.mail_profile', 'operator', 'fettle_admin'),
      ('core.mail_profile', 'auth', 'fettle_auth'),
      ('core.mail_request', 'auth', 'fettle_auth'),
      ('core.mail_token', 'auth', 'fettle_auth'),
      ('core.report_login', 'operator', 'fettle_admin'),
      ('core.report_login', 'auth', 'fettle_auth'),
      ('core.job_queued', 'operator_select', 'fettle_admin'),
      ('core.job_queued', 'auth', 'fettle_auth'),
      ('core.job_claim', 'operator_select', 'fettle_admin'),
      ('core.job_claim', 'auth', 'fettle_auth'),
      ('core.job_ack', 'operator_select', 'fettle_admin'),
      ('core.job_ack', 'auth', 'fettle_auth'),
      ('core.job_deferred', 'operator_select', 'fettle_admin'),
      ('core.job_deferred', 'auth', 'fettle_auth'),
      ('core.job_end', 'operator_select', 'fettle_admin'),
      ('core.job_end', 'auth', 'fettle_auth'),
      ('core.job_key', 'operator_select', 'fettle_admin'),
      ('core.job_key', 'auth', 'fettle_auth'),
      ('core.job_stop', 'operator_select', 'fettle_admin'),
      ('core.job_stop', 'auth', 'fettle_auth'),
      ('core.job_begin', 'operator_select', 'fettle_admin'),
      ('core.job_begin', 'auth', 'fettle_auth'),
      ('core.job_home', 'operator_select', 'fettle_admin'),
      ('core.job_home', 'auth', 'fettle_auth'),
      ('core.job_attempt', 'operator_select', 'fettle_admin'),
      ('core.job_attempt', 'auth', 'fettle_auth'),
      ('core.job_pause', 'operator_select', 'fettle_admin'),
      ('core.job_pause', 'auth', 'fettle_auth'),
      ('core.job_limit', 'operator_select', 'fettle_admin'),
      ('core.job_limit', 'auth', 'fettle_auth'),
      ('core.job_token', 'operator_select', 'fettle_admin'),
      ('core.job_token', 'auth', 'fettle_auth'),
      ('core.job_rate', 'operator_select', 'fettle_admin'),
      ('core.job_rate', 'auth', 'fettle_auth'),
      ('core.job_count', 'operator_select', 'fettle_admin'),
      ('core.job_count', 'auth', 'fettle_auth'),
      ('core.job_count_mark', 'operator_select', 'fettle_admin'),
      ('core.job_count_mark', 'auth', 'fettle_auth'),
      ('core.job_moment', 'operator_select', 'fettle_admin'),
      ('core.job_moment', 'auth', 'fettle_auth'),
      ('core.job_pace', 'operator_select', 'fettle_admin'),
      ('core.job_pace', 'auth', 'fettle_auth'),
      ('core.idempotency', 'auth', 'fettle_auth'),
      ('core.timer', 'control_select', 'fettle_worker'),
      ('core.timer', 'control_update', 'fettle_worker'),
      ('core.timer', 'control_delete', 'fettle_worker'),
      ('core.schedule', 'control_select', 'fettle_worker'),
      ('core.schedule', 'control_update', 'fettle_worker'),
      ('core.schedule', 'auth_select', 'fettle_auth')
  )
  and not (p.polname = 'report' and p.polcmd = 'r' and p.polroles = array['fettle_report'::regrole::oid]);

-- lint: policy_by_context — a policy calls context functions in a sub-select, once per statement, and reads no setting
select format('%s on %s', p.polname, p.polrelid::regclass) as object
from pg_policy p
cross join lateral (
  select concat(pg_get_expr(p.polqual, p.polrelid), ' ', pg_get_expr(p.polwithcheck, p.polrelid))
) e (text)
where e.text ~ 'current_setting'
  or regexp_replace(
    e.text, 'SELECT core\.(current_company|current_user_id|report_company)\(\)', '', 'g')
    ~ '(current_company|current_user_id|report_company)\(\)';

-- lint: company_required — company_id is never null
select format('%s.%s', a.attrelid::regclass, a.attname) as object
from pg_attribute a
join pg_class c on c.oid = a.attrelid
join pg_namespace n on n.oid = c.relnamespace
where n.nspowner = 'fettle_owner'::regrole
  and c.relkind in ('r', 'p')
  and a.attname = 'company_id'
  and not a.attisdropped
  and not (a.attnotnull and a.atttypid = 'uuid'::regtype);

-- lint: keys_led_by_company — every primary key and unique index of a tenant table starts with company_id
select coalesce(i.indexrelid::regclass::text, c.oid::regclass || ' without primary key') as object
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
left join pg_index i on i.indrelid = c.oid and i.indisunique
where n.nspowner = 'fettle_owner'::regrole
  and c.relkind in ('r', 'p')
  and c.oid::regclass::text not in ('core.api_token', 'core.invite_locator', 'core.report_login')
  and (
    i.indexrelid is null
    or i.indkey[0] <> a.attnum
    or not exists (select from pg_index k where k.indrelid = c.oid and k.indisprimary)
  );

-- lint: foreign_keys_led_by_company — a foreign key to a tenant table starts with company_id on both sides
select format('%s on %s', k.conname, k.conrelid::regclass) as object
from pg_constraint k
join pg_namespace n on n.oid = k.connamespace
join pg_attribute there
  on there.attrelid = k.confrelid and there.attname = 'company_id' and not there.attisdropped
left join pg_attribute here
  on here.attrelid = k.conrelid and here.attname = 'company_id' and not here.attisdropped
where n.nspowner = 'fettle_owner'::regrole
  and k.contype = 'f'
  and (
    here.attnum is distinct from k.conkey[1]
    or there.attnum <> k.confkey[1]
    or cardinality(k.conkey) < 2
  );

-- lint: global_points_to_global — a global table has no foreign key to a tenant table
select format('%s on %s', k.conname, k.conrelid::regclass) as object
from pg_constraint k
join pg_namespace n on n.oid = k.connamespace
where n.nspowner = 'fettle_owner'::regrole
  and k.contype = 'f'
  and exists (
    select from pg_attribute a
    where a.attrelid = k.confrelid and a.attname = 'company_id' and not a.attisdropped
  )
  and (
    k.conrelid::regclass::text in ('core.api_token', 'core.invite_locator', 'core.report_login')
    or not exists (
      select from pg_attribute a
      where a.attrelid = k.conrelid and a.attname = 'company_id' and not a.attisdropped
    )
  );

-- lint: foreign_keys_indexed — an index starts with the columns of every foreign key
select format('%s on %s', k.conname, k.conrelid::regclass) as object
from pg_constraint k
join pg_namespace n on n.oid = k.connamespace
where n.nspowner = 'fettle_owner'::regrole
  and k.contype = 'f'
  and not exists (
    select from pg_index i
    where i.indrelid = k.conrelid
      and (i.indkey::smallint[])[0:cardinality(k.conkey) - 1] @> k.conkey
      and (
        i.indpred is null
        or pg_get_expr(i.indpred, i.indrelid) ~ '^\(\w+ IS NOT NULL\)$'
      )
  );

-- lint: foreign_keys_without_action — deleted records are tombstones: no foreign key deletes or changes rows
select format('%s on %s', k.conname, k.conrelid::regclass) as object
from pg_constraint k
join pg_namespace n on n.oid = k.connamespace
where n.nspowner = 'fettle_owner'::regrole
  and k.contype = 'f'
  and (k.confdeltype <> 'a' or k.confupdtype <> 'a');

-- lint: nothing_deferred — no constraint is deferred: its check would run at the commit, while the gate is locked
select format('%s on %s', k.conname, k.conrelid::regclass) as object
from pg_constraint k
join pg_namespace n on n.oid = k.connamespace
where n.nspowner = 'fettle_owner'::regrole
  and k.condeferrable;

-- lint: constraints_validated — no constraint or index is invalid
select format('%s on %s', k.conname, k.conrelid::regclass) as object
from pg_constraint k
join pg_namespace n on n.oid = k.connamespace
where n.nspowner = 'fettle_owner'::regrole
  and not k.convalidated
union all
select i.indexrelid::regclass::text
from pg_index i
join pg_class c on c.oid = i.indrelid
join pg_namespace n on n.oid = c.relnamespace
where n.nspowner = 'fettle_owner'::regrole
  and not (i.indisvalid and i.indisready);

-- lint: no_writing_trigger — the only trigger is the guard of records, which runs before each row and is enabled
select format('%s on %s', t.tgname, t.tgrelid::regclass) as object
from pg_trigger t
join pg_class c on c.oid = t.tgrelid
join pg_namespace n on n.oid = c.relnamespace
where n.nspowner = 'fettle_owner'::regrole
  and not t.tgisinternal
  and not (t.tgfoid = 'core.guard_record()'::regprocedure and t.tgtype = 31 and t.tgenabled = 'O')
union all
select format('event trigger %s', e.evtname)
from pg_event_trigger e;

-- lint: no_rule — no rule rewrites statements
select format('%s on %s', w.rulename, w.ev_class::regclass) as object
from pg_rewrite w
join pg_class c on c.oid = w.ev_class
join pg_namespace n on n.oid = c.relnamespace
where n.nspowner = 'fettle_owner'::regrole
  and not (c.relkind in ('v', 'm') and w.rulename = '_RETURN');

-- lint: records_guarded — the table of every record type has the guard of that type
select t.name as object
from core.record_type t
left join pg_namespace n on n.nspname = t.table_schema
left join pg_class c on c.relnamespace = n.oid and c.relname = t.table_name
where not exists (
  select from pg_trigger g
  where g.tgrelid = c.oid
    and g.tgfoid = 'core.guard_record()'::regprocedure
    and split_part(encode(g.tgargs, 'escape'), '\000', 1) = t.name
    and (split_part(encode(g.tgargs, 'escape'), '\000', 2) = 'workflow')
      >= exists (select from core.workflow_definition d where d.record_type = t.name)
);

-- lint: no_sequence — keys come from the client or are UUIDs, never from a sequence
select c.oid::regclass::text as object
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspowner = 'fettle_owner'::regrole
  and c.relkind = 'S';

-- lint: no_expression_index — only columns are indexed: an index on a leaky function is unusable under row-level security
select i.indexrelid::regclass::text as object
from pg_index i
join pg_class c on c.oid = i.indrelid
join pg_namespace n on n.oid = c.relnamespace
where n.nspowner = 'fettle_owner'::regrole
  and i.indexprs is not null;

-- lint: no_enum — a closed vocabulary is text with a check: comparing an enum is not leakproof
select t.oid::regtype::text as object
from pg_type t
join pg_namespace n on n.oid = t.typnamespace
where n.nspowner = 'fettle_owner'::regrole
  and t.typtype = 'e';

-- lint: views_as_caller — every view runs as its caller
select c.oid::regclass::text as object
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspowner = 'fettle_owner'::regrole
  and c.relkind = 'v'
  and 'security_invoker=true' <> all (coalesce(c.reloptions, '{}'));

-- lint: no_materialised_view — row-level security does not apply to a materialised view
select c.oid::regclass::text as object
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspowner = 'fettle_owner'::regrole
  and c.relkind = 'm';

-- lint: auth_pinned — fettle_auth or fettle_eraser owns the SECURITY DEFINER functions but six; their search_path is core, pg_temp
select p.oid::regprocedure::text as object
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspowner = 'fettle_owner'::regrole
  and p.prosecdef
  and not (
    'search_path=core, pg_temp' = any (coalesce(p.proconfig, '{}'))
    and (
      p.proowner in ('fettle_auth'::regrole, 'fettle_eraser'::regrole)
      -- These create and drop weekly partitions of the queue, rebuild the guard of records, and analyse tables, which
      -- only the owner of the tables can do.
      or p.proowner = 'fettle_owner'::regrole
        and p.oid::regprocedure::text in (
          'core.keep_job_weeks()', 'core.drop_job_week(date,interval)', 'core.drop_versions(text,integer[])',
          'core.add_workflow(text,jsonb)', 'core.keep_workflow(text,integer,jsonb,bytea)',
          'core.renew_statistics()')
    )
    -- Runs the SQL of apps, which name every schema.
    or p.proowner = 'fettle_author'::regrole
      and p.oid::regprocedure::text = 'core.run_as_author(text)'
      and p.proconfig = '{"search_path=\"\""}'
  );

-- lint: context_is_stable — a function that reads a setting or the user is never IMMUTABLE
select p.oid::regprocedure::text as object
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspowner = 'fettle_owner'::regrole
  and p.provolatile = 'i'
  and concat(p.prosrc, pg_get_function_sqlbody(p.oid))
    ~* '(current_setting|session_user|current_user|current_company|timestamp|now\(|timeofday)';

-- lint: no_leakproof_claim — no function is marked leakproof
select p.oid::regprocedure::text as object
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspowner = 'fettle_owner'::regrole
  and p.proleakproof;

-- lint: dynamic_sql_quoted — dynamic SQL is built with format(), not by concatenation
select p.oid::regprocedure::text as object
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspowner = 'fettle_owner'::regrole
  and p.prosrc ~* '\mexecute\M[^;]*\|\|';

-- lint: nothing_public — PUBLIC has no right on the database, a schema, a relation or a function
select format('%s on database %s', a.privilege_type, d.datname) as object
from pg_database d
cross join lateral aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
where d.datname = current_database()
  and a.grantee = 0
union all
select format('%s on schema %s', a.privilege_type, n.nspname)
from pg_namespace n
cross join lateral aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
where (n.nspowner = 'fettle_owner'::regrole or n.nspname = 'public')
  and a.grantee = 0
union all
select format('%s on %s', a.privilege_type, c.oid::regclass)
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
cross join lateral aclexplode(c.relacl) a
where n.nspowner = 'fettle_owner'::regrole
  and a.grantee = 0
union all
select format('%s on %s.%s', a.privilege_type, c.oid::regclass, t.attname)
from pg_attribute t
join pg_class c on c.oid = t.attrelid
join pg_namespace n on n.oid = c.relnamespace
cross join lateral aclexplode(t.attacl) a
where n.nspowner = 'fettle_owner'::regrole
  and a.grantee = 0
union all
select format('%s on %s', a.privilege_type, p.oid::regprocedure)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
where n.nspowner = 'fettle_owner'::regrole
  and a.grantee = 0;

-- lint: builtins_closed — a reporting login may call no built-in function that locks, notifies or writes
select format('%s by %s', b.name, r.rolname) as object
from pg_roles r
cross join lateral core.open_builtins(r.rolname) b (name)
where not r.rolsuper
  and (r.rolname = 'fettle_report' or pg_has_role(r.oid, 'fettle_report_company', 'member'));

-- lint: builtins_used — a login may only lock, and get the id of its transaction
select format('%s by %s', b.name, r.rolname) as object
from pg_roles r
cross join lateral core.open_builtins(r.rolname) b (name)
where r.rolname in ('fettle_app', 'fettle_worker', 'fettle_admin')
  and b.name !~ case r.rolname
    when 'fettle_admin' then '^(pg_(try_)?advisory_(xact_)?lock(_shared)?|pg_advisory_unlock|pg_current_xact_id)\('
    else '^(pg_(try_)?advisory_xact_lock(_shared)?|pg_current_xact_id)\('
  end;

-- lint: reporting_bounded — every reporting login has a connection limit
select format('%s without a connection limit', r.rolname) as object
from pg_roles r
where r.rolcanlogin
  and not r.rolsuper
  and (r.rolname = 'fettle_report' or pg_has_role(r.oid, 'fettle_report_company', 'member'))
  and r.rolconnlimit < 0;

-- lint: owned_by_owner — fettle_owner owns all relations; fettle_owner, fettle_auth or fettle_eraser owns each function but one
select c.oid::regclass::text as object
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspowner = 'fettle_owner'::regrole
  and c.relowner <> 'fettle_owner'::regrole
union all
select p.oid::regprocedure::text
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspowner = 'fettle_owner'::regrole
  and p.proowner not in ('fettle_owner'::regrole, 'fettle_auth'::regrole, 'fettle_eraser'::regrole)
  and not (p.proowner = 'fettle_author'::regrole and p.oid::regprocedure::text = 'core.run_as_author(text)');

-- lint: roles_bounded — only fettle_backup bypasses policies; no role is a superuser or creates roles or databases
select r.rolname::text as object
from pg_roles r
where (r.rolname like 'fettle\_%' or pg_has_role(r.oid, 'fettle_report_company', 'member') and not r.rolsuper)
  and (
    r.rolsuper or r.rolcreaterole or r.rolcreatedb or r.rolreplication
    or r.rolbypassrls <> (r.rolname = 'fettle_backup')
  );

-- lint: roles_apart — no role inherits the rights of fettle_owner, fettle_auth or fettle_eraser; only the migrator may SET ROLE
select format('%s of %s', r.rolname, o.rolname) as object
from pg_roles r
cross join pg_roles o
where o.rolname in ('fettle_owner', 'fettle_auth', 'fettle_author', 'fettle_eraser', 'fettle_installer')
  and r.oid <> o.oid
  and not r.rolsuper
  and (
    -- Only fettle_installer can hand the objects of an app from fettle_author to fettle_owner.
    pg_has_role(r.oid, o.oid, 'usage')
      and (r.rolname <> 'fettle_installer' or o.rolname not in ('fettle_owner', 'fettle_author'))
    or pg_has_role(r.oid, o.oid, 'member')
      and r.rolname not in ('fettle_migrator', 'fettle_owner', 'fettle_installer')
  )
union all
-- The role that runs the SQL of apps is a member of no other role.
select format('fettle_author of %s', m.roleid::regrole)
from pg_auth_members m
where m.member = 'fettle_author'::regrole;

-- lint: table_rights — only the owner of a table may truncate it or create references or triggers
select format('%s on %s to %s', a.privilege_type, c.oid::regclass, a.grantee::regrole) as object
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
cross join lateral aclexplode(c.relacl) a
where n.nspowner = 'fettle_owner'::regrole
  and a.grantee <> c.relowner
  and a.privilege_type in ('TRUNCATE', 'REFERENCES', 'TRIGGER')
  -- Apps refer to members, attachments and records.
  and not (
    a.privilege_type = 'REFERENCES'
    and a.grantee = 'fettle_author'::regrole
    and not a.is_grantable
    and (
      c.oid::regclass::text in ('core.membership', 'core.attachment')
      or exists (
        select from core.record_type t where t.table_schema = n.nspname and t.table_name = c.relname)
    )
  );

-- lint: author_reads_nothing — fettle_author has no right to a row, and may create only report views
select format('%s on %s', a.privilege_type, c.oid::regclass) as object
from pg_class c
cross join lateral aclexplode(c.relacl) a
where a.grantee = 'fettle_author'::regrole
  and a.privilege_type <> 'REFERENCES'
  and c.oid <> 'core.record_base'::regclass
union all
select format('%s on %s.%s', a.privilege_type, t.attrelid::regclass, t.attname)
from pg_attribute t
cross join lateral aclexplode(t.attacl) a
where a.grantee = 'fettle_author'::regrole
union all
select format('%s on schema %s', a.privilege_type, n.nspname)
from pg_namespace n
cross join lateral aclexplode(n.nspacl) a
where a.grantee = 'fettle_author'::regrole
  and (a.is_grantable or a.privilege_type = 'CREATE' and n.nspname <> 'report')
union all
select format('EXECUTE on %s', p.oid::regprocedure)
from pg_proc p
cross join lateral aclexplode(p.proacl) a
where a.grantee = 'fettle_author'::regrole
  and p.proowner <> 'fettle_author'::regrole
union all
select format('USAGE on language %s', l.lanname)
from pg_language l
where l.lanpltrusted
  and l.lanname <> 'sql'
  and has_language_privilege('fettle_author', l.oid, 'usage');

-- lint: locks_bounded — a login may update columns and not tables, and delete rows of listed tables: both rights include locks
select format('%s may lock %s', r.rolname, c.oid::regclass) as object
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
cross join pg_roles r
where n.nspowner = 'fettle_owner'::regrole
  and c.relkind in ('r', 'p')
  and r.rolname in ('fettle_app', 'fettle_worker', 'fettle_admin', 'fettle_report', 'fettle_backup')
  and (
    has_table_privilege(r.oid, c.oid, 'UPDATE') and (c.oid::regclass::text, r.rolname) <> ('core.worker', 'fettle_worker')
    or has_table_privilege(r.oid, c.oid, 'DELETE')
  )
  and (
    exists (
      select from core.record_type t where t.table_schema = n.nspname and t.table_name = c.relname
    )
    or n.nspname = 'core' and c.relname not in (
      'company_app', 'feed', 'idempotency', 'import_file', 'invite_failure', 'job_deferred', 'job_end', 'job_key', 'job_stop',
      'mail_delivery', 'quota', 'report_login', 'role', 'role_permission', 'saved_view', 'schedule', 'timer', 'webhook', 'webhook_circuit', 'webhook_delivery',
      'worker', 'workflow_overlay')
  );

-- lint: append_only — no role may update or delete history, seals or audit, or delete records
select format('%s on %s to %s', p.name, c.oid::regclass, r.rolname) as object
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
cross join (values ('UPDATE'), ('DELETE')) p (name)
cross join pg_roles r
where n.nspowner = 'fettle_owner'::regrole
  and r.rolname in ('fettle_admin', 'fettle_app', 'fettle_worker', 'fettle_auth', 'fettle_report')
  and case
    when c.oid::regclass::text in ('core.history', 'core.history_erasure', 'core.history_seal', 'core.audit') then
      case p.name
        when 'UPDATE' then has_any_column_privilege(r.oid, c.oid, 'UPDATE')
        else has_table_privilege(r.oid, c.oid, 'DELETE')
      end
    when p.name = 'DELETE' and exists (
      select from pg_attribute a
      where a.attrelid = c.oid and a.attname = 'history_hash' and not a.attisdropped
    ) then has_table_privilege(r.oid, c.oid, 'DELETE')
    else false
  end;

-- lint: secrets_closed — only fettle_auth, fettle_eraser, the owner, its installer and the backup role may read a secret column
select format('%s.%s by %s', a.attrelid::regclass, a.attname, r.rolname) as object
from pg_attribute a
cross join pg_roles r
where (a.attrelid::regclass::text, a.attname) in (
    values
      ('core.app_user', 'password_hash'),
      ('core.api_token', 'secret_hash'),
      ('core.session', 'secret_hash'),
      ('core.session', 'refresh_salt'),
      ('core.invite_locator', 'code_hmac'),
      ('core.recovery_code', 'code_hash'),
      ('core.second_factor', 'pending_secret'),
      ('core.second_factor', 'sealed_secret'),
      ('core.sign_in', 'browser_hash'),
      ('core.sign_in', 'nonce_hash'),
      ('core.sign_in', 'sealed_verifier'),
      ('core.sign_in', 'secret_hash'),
      ('core.webhook', 'secret'), ('core.mail_token', 'secret_hash'),
      ('core.webhook', 'previous_secret')
  )
  and (r.rolname like 'fettle\_%' or pg_has_role(r.oid, 'fettle_report_company', 'member') and not r.rolsuper)
  and r.rolname not in ('fettle_auth', 'fettle_eraser', 'fettle_owner', 'fettle_installer', 'fettle_backup')
  and has_column_privilege(r.oid, a.attrelid, a.attnum, 'SELECT');

-- lint: secrets_named — every column whose name suggests a secret is on the list below
select format('%s.%s', a.attrelid::regclass, a.attname) as object
from pg_attribute a
join pg_class c on c.oid = a.attrelid
join pg_namespace n on n.oid = c.relnamespace
where n.nspowner = 'fettle_owner'::regrole
  and c.relkind in ('r', 'p', 'v')
  and a.attnum > 0
  and not a.attisdropped
  and a.attname ~ '(password|passwd|secret|token|hash|hmac|salt|pepper|private|credential)'
  and a.attname <> 'history_hash'
  and (a.attrelid::regclass::text, a.attname) not in (
    values
      ('core.app_user', 'password_hash'),
      ('core.api_token', 'secret_hash'),
      ('core.session', 'secret_hash'),
      ('core.session', 'refresh_salt'),
      ('core.invite_locator', 'code_hmac'),
      ('core.recovery_code', 'code_hash'),
      ('core.second_factor', 'pending_secret'),
      ('core.second_factor', 'sealed_secret'),
      ('core.sign_in', 'browser_hash'),
      ('core.sign_in', 'nonce_hash'),
      ('core.sign_in', 'secret_hash'),
      ('core.mail_token', 'secret_hash'),
      ('core.record_link', 'secret_hash'),
      ('core.webhook', 'secret'),
      ('core.webhook', 'previous_secret'),
      ('core.app', 'hash'),
      ('core.history', 'hash'),
      ('core.history', 'salt'),
      ('core.idempotency', 'request_hash'),
      ('core.sync_item', 'request_hash'),
      ('trips.plan_share', 'token_hash')
  );

-- lint: commented — schemas, relations, columns and functions have comments; partitions need none
select format('schema %s', n.nspname) as object
from pg_namespace n
where n.nspowner = 'fettle_owner'::regrole
  and obj_description(n.oid, 'pg_namespace') is null
union all
select c.oid::regclass::text
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspowner = 'fettle_owner'::regrole
  and c.relkind in ('r', 'p', 'v', 'm', 'f')
  and not c.relispartition
  and coalesce(btrim(obj_description(c.oid, 'pg_class')), '') = ''
union all
select format('%s.%s', c.oid::regclass, a.attname)
from pg_attribute a
join pg_class c on c.oid = a.attrelid
join pg_namespace n on n.oid = c.relnamespace
where n.nspowner = 'fettle_owner'::regrole
  and c.relkind in ('r', 'p', 'v', 'm', 'f')
  and not c.relispartition
  and a.attnum > 0
  and not a.attisdropped
  and coalesce(btrim(col_description(c.oid, a.attnum)), '') = ''
union all
select p.oid::regprocedure::text
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspowner = 'fettle_owner'::regrole
  and coalesce(btrim(obj_description(p.oid, 'pg_proc')), '') = '';

-- lint: report_rights — a reporting role uses only the schema report and may read exactly what its views read
with reads as (
  select d.refobjid as relation, d.refobjsubid as number
  from pg_class v
  join pg_namespace n on n.oid = v.relnamespace and n.nspname = 'report'
  join pg_rewrite w on w.ev_class = v.oid
  join pg_depend d
    on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
    and d.refclassid = 'pg_class'::regclass and d.refobjid <> v.oid and d.refobjsubid > 0
),
reporter as (
  select r.oid, r.rolname
  from pg_roles r
  where r.rolname in ('fettle_report', 'fettle_report_company')
)
select format('USAGE on schema %s for %s', n.nspname, r.rolname) as object
from pg_namespace n
cross join reporter r
where n.nspowner = 'fettle_owner'::regrole
  and n.nspname <> 'report'
  and has_schema_privilege(r.oid, n.oid, 'USAGE')
union all
select format('%s.%s for %s', c.oid::regclass, a.attname, r.rolname)
from pg_attribute a
join pg_class c on c.oid = a.attrelid
join pg_namespace n on n.oid = c.relnamespace
cross join reporter r
where n.nspowner = 'fettle_owner'::regrole
  and n.nspname <> 'report'
  and c.relkind in ('r', 'p', 'v', 'm', 'f')
  and a.attnum > 0
  and not a.attisdropped
  and has_column_privilege(r.oid, c.oid, a.attnum, 'SELECT')
    <> exists (select from reads where reads.relation = c.oid and reads.number = a.attnum)
union all
select format('%s on %s for %s', p.name, c.oid::regclass, r.rolname)
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
cross join (values ('INSERT'), ('UPDATE'), ('DELETE')) p (name)
cross join reporter r
where n.nspowner = 'fettle_owner'::regrole
  and c.relkind in ('r', 'p', 'v', 'm', 'f')
  and has_table_privilege(r.oid, c.oid, p.name);

-- lint: one_initial_status — every workflow version in force has one initial status
select format('%s version %s', s.record_type, s.version) as object
from core.workflow_state s
group by s.record_type, s.version
having count(*) filter (where s.is_initial) <> 1;

-- lint: lanes_of_company — a check ties every lane to its company, and no login chooses the place of a row within it
select format('%s.lane', c.oid::regclass) as object
from pg_attribute a
join pg_class c on c.oid = a.attrelid
join pg_namespace n on n.oid = c.relnamespace
where n.nspowner = 'fettle_owner'::regrole
  and c.relkind in ('r', 'p')
  and not c.relispartition
  and a.attname = 'lane'
  and not a.attisdropped
  and not exists (
    select from pg_constraint k
    where k.conrelid = c.oid
      and k.contype = 'c'
      and k.convalidated
      and pg_get_constraintdef(k.oid)
        = 'CHECK (("substring"(uuid_send(lane), 1, 8) = "substring"(uuid_send(company_id), 9, 8)))'
  )
union all
select format('%s.%s by %s', a.attrelid::regclass, a.attname, r.rolname)
from pg_attribute a
cross join pg_roles r
where a.attrelid = 'core.job_queued'::regclass
  and a.attname in ('week', 'xid')
  and r.rolname in ('fettle_app', 'fettle_worker', 'fettle_admin')
  and (has_column_privilege(r.oid, a.attrelid, a.attnum, 'INSERT')
    or has_column_privilege(r.oid, a.attrelid, a.attnum, 'UPDATE'));

-- lint: lookups_across_companies — an index that does not start with company_id is on the list, with its reason
-- Such an index finds rows of several companies. If a row's columns decided for which company another row is handled,
-- a company could write rows that are handled for another one.
select format('%s (%s) of %s', i.indexrelid::regclass, l.columns, i.indrelid::regclass) as object
from pg_index i
join pg_class c on c.oid = i.indrelid
join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
cross join lateral (
  select string_agg(b.attname, ', ' order by k.no) as columns
  from unnest(i.indkey) with ordinality k (number, no)
  join pg_attribute b on b.attrelid = c.oid and b.attnum = k.number
) l
where n.nspowner = 'fettle_owner'::regrole
  and c.relkind in ('r', 'p')
  and not c.relispartition
  and i.indkey[0] <> a.attnum
  and (c.oid::regclass::text, l.columns) not in (
    values
      -- The company is read from the row itself, which only fettle_auth writes.
      ('core.api_token', 'id'),
      ('core.invite_locator', 'code_hmac'),
      ('core.report_login', 'role_name'),
      -- The company of a lane is part of the lane, by a check.
      ('core.job_queued', 'lane, xid, id'),
      ('core.job_claim', 'lane, last_xid, last_id'),
      -- Only the engine's functions write the rows or the column; each row found is handled for its own company.
      ('core.job_queued', 'xid'),
      ('core.job_claim', 'worker_id, batch'),
      ('core.job_claim', 'at'),
      ('core.job_stop', 'worker_id'),
      -- Values that name no owner: each row found is handled for its own company.
      ('core.job_deferred', 'run_at'),
      ('core.job_deferred', 'queue, kind, created_at, id'),
      ('core.job_end', 'state, finished_at'),
      ('core.job_end', 'state, queue, kind, finished_at, id'),
      ('core.idempotency', 'created_at'),
      ('core.timer', 'due_at'),
      ('core.schedule', 'next_at'),
      -- Members and apps in use, for the columns that foreign keys lead to.
      ('core.role_permission', 'permission, grantable'),
      ('core.membership', 'user_id'),
      ('core.company_app', 'app'),
      -- Only entry functions write the rows; each row found is handled for its own company.
      ('core.session', 'user_id'),
      ('core.session', 'expires_at')
  );
