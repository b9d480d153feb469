-- Months: totals, and averages over the days that have entries.
create view macros.v_month with (security_invoker = true) as
select
  t.company_id,
  t.created_by,
  date_trunc('month', t.local_date::timestamp)::date as month_starts_on,
  extract(day from date_trunc('month', t.local_date::timestamp) + interval '1 month - 1 day')::integer
    as days,
  count(*) as days_logged,
  sum(t.entries)::bigint as entries,
  sum(t.protein_g) as protein_g,
  sum(t.carbs_g) as carbs_g,
  sum(t.fat_g) as fat_g,
  sum(t.kcal) as kcal,
  round(avg(t.protein_g), 1) as average_protein_g,
  round(avg(t.carbs_g), 1) as average_carbs_g,
  round(avg(t.fat_g), 1) as average_fat_g,
  round(avg(t.kcal), 1) as average_kcal
from macros.v_daily_total t
group by t.company_id, t.created_by, date_trunc('month', t.local_date::timestamp);

comment on column macros.v_month.month_starts_on is 'First day of the month.';
comment on column macros.v_month.days is 'Number of days in the month.';
comment on column macros.v_month.days_logged is 'Number of days with entries, which the averages cover.';
comment on column macros.v_month.entries is 'Number of entries.';
comment on column macros.v_month.average_protein_g is 'Mean protein per day with entries, in grams.';
comment on column macros.v_month.average_carbs_g is 'Mean carbohydrates per day with entries, in grams.';
comment on column macros.v_month.average_fat_g is 'Mean fat per day with entries, in grams.';
comment on column macros.v_month.average_kcal is 'Mean energy per day with entries, in kcal.';
