-- The records of companies :first to :last of `fettle-bench`, as an import leaves them: 20 machines, 8 categories and :each
-- entries. Their ids are numbers, so that pgbench can compute them; see Sources/Bench/Records/Fixture.swift.
begin;
set local fettle.write = 'import';

create temporary view member as
select c.id as company, substring(c.slug from '^bench-([0-9]+)$')::bigint as c, m.user_id, n.n::bigint as n
from core.company c
join core.membership m on m.company_id = c.id
cross join generate_series(1, :each) n (n)
where substring(c.slug from '^bench-([0-9]+)$')::bigint between :first and :last;

insert into maintenance.machine
  (company_id, id, created_by, code, name, status, status_category, history_seq, history_hash)
select company, lpad((c * 1000 + n)::text, 32, '0')::uuid, user_id, 'RM-' || lpad(n::text, 3, '0'), 'Machine ' || n,
  'active', 'active', 1, sha256(n::text::bytea)
from member where n <= 20;

insert into maintenance.category (company_id, id, created_by, name, history_seq, history_hash)
select company, lpad((c * 1000 + n)::text, 32, '0')::uuid, user_id, 'Category ' || n, 1, sha256(n::text::bytea)
from member where n <= 8;

insert into maintenance.entry
  (company_id, id, created_by, updated_by, machine_id, category_id, description, estimated_hours, reported_on,
   created_by_name, status, status_category, history_seq, history_hash)
select company, lpad((c * 1000000 + n)::text, 32, '0')::uuid, user_id, user_id,
  lpad((c * 1000 + n % 20 + 1)::text, 32, '0')::uuid, lpad((c * 1000 + n % 8 + 1)::text, 32, '0')::uuid,
  'Hydraulic hose leaks at the boom cylinder, replace and test ' || n, 1.5, date '2025-01-01' + (n % 300)::int,
  'Bench Technician', 'pending', 'open', 1, sha256(n::text::bytea)
from member;

insert into core.history
  (company_id, record_type, record_id, seq, kind, definition_version, to_status, actor_kind, actor_id, actor_name,
   changes, salt, request_id, hash)
select e.company_id, 'maintenance.entry', e.id, 1, 'import', 1, 'pending', 'member', e.created_by, 'Bench Technician',
  jsonb_build_object('description', jsonb_build_array(null, e.description)), substr(e.history_hash, 1, 16), e.id,
  e.history_hash
from maintenance.entry e
where e.company_id in (select company from member);

insert into core.feed (company_id, scope, record_type, record_id, seq, op, version)
select e.company_id, 'maintenance.entry', 'maintenance.entry', e.id,
  row_number() over (partition by e.company_id order by e.id), 'put', 1
from maintenance.entry e
where e.company_id in (select company from member);

drop view member;
commit;
