-- Exact daily totals of a person; a day without entries has no row.
create view macros.v_daily_total with (security_invoker = true) as
select
  e.company_id,
  e.created_by,
  e.local_date,
  count(*) as entries,
  sum(e.protein_g) as protein_g,
  sum(e.carbs_g) as carbs_g,
  sum(e.fat_g) as fat_g,
  sum(e.kcal) as kcal
from macros.entry e
where e.deleted_at is null
group by e.company_id, e.created_by, e.local_date;

comment on column macros.v_daily_total.entries is 'Number of entries.';
