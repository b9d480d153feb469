-- Trees with the number and the weight of their harvests.
create view orchard.v_tree with (security_invoker = true) as
select
  t.company_id, t.id, t.version,
  t.created_by, t.created_at, t.updated_by, t.updated_at,
  t.code, t.variety, t.planted_on,
  t.status, t.status_category,
  h.harvests,
  h.kilograms
from orchard.tree t
cross join lateral (
  select count(*) as harvests, coalesce(sum(x.kilograms), 0) as kilograms
  from orchard.harvest x
  where x.company_id = t.company_id
    and x.tree_id = t.id
    and x.deleted_at is null
) h
where t.deleted_at is null;

comment on column orchard.v_tree.harvests is 'Number of harvests.';
comment on column orchard.v_tree.kilograms is 'Total yield in kilograms.';
