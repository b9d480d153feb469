-- The total yield of each tree that has been harvested.
-- columns: company_id uuid, company text, tree text, variety text, kilograms numeric
create view report.v1_yield with (security_invoker = true, security_barrier = true) as
select
  t.company_id,
  c.slug as company,
  t.code as tree,
  t.variety,
  sum(h.kilograms) as kilograms
from orchard.tree t
join core.company c on c.id = t.company_id
join orchard.harvest h on h.company_id = t.company_id and h.tree_id = t.id and h.deleted_at is null
where t.deleted_at is null
group by t.company_id, c.slug, t.id, t.code, t.variety;

comment on column report.v1_yield.company_id is 'The company.';
comment on column report.v1_yield.company is 'Short name of the company.';
comment on column report.v1_yield.tree is 'Code of the tree.';
comment on column report.v1_yield.variety is 'Variety of the tree.';
comment on column report.v1_yield.kilograms is 'Total yield in kilograms.';
