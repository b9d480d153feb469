-- Daily totals of the member who runs the report.
-- columns: company_id uuid, company text, local_date date, entries bigint, protein_g numeric, carbs_g numeric,
--   fat_g numeric, kcal numeric
create view report.v1_macro_day with (security_invoker = true, security_barrier = true) as
select
  e.company_id,
  c.slug as company,
  e.local_date,
  count(*) as entries,
  sum(e.protein_g) as protein_g,
  sum(e.carbs_g) as carbs_g,
  sum(e.fat_g) as fat_g,
  sum(e.kcal) as kcal
from macros.entry e
join core.company c on c.id = e.company_id
where e.deleted_at is null
group by e.company_id, c.slug, e.created_by, e.local_date;

comment on column report.v1_macro_day.company_id is 'The company.';
comment on column report.v1_macro_day.company is 'Short name of the company.';
comment on column report.v1_macro_day.local_date is 'Day that the entries count towards.';
comment on column report.v1_macro_day.entries is 'Number of entries.';
comment on column report.v1_macro_day.protein_g is 'Protein in grams.';
comment on column report.v1_macro_day.carbs_g is 'Carbohydrates in grams.';
comment on column report.v1_macro_day.fat_g is 'Fat in grams.';
comment on column report.v1_macro_day.kcal is 'Energy in kilocalories.';
