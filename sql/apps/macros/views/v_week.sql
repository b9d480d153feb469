-- Weeks from Monday: totals, and averages over the days that have entries.
--
-- A day without entries does not mean that nothing was eaten, so the averages leave out such days;
-- days_logged is the number of days that the averages cover.
create view macros.v_week with (security_invoker = true) as
select
  t.company_id,
  t.created_by,
  date_trunc('week', t.local_date::timestamp)::date as week_starts_on,
  7 as days,
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
group by t.company_id, t.created_by, date_trunc('week', t.local_date::timestamp);

comment on column macros.v_week.week_starts_on is 'Monday of the week.';
comment on column macros.v_week.days is 'Number of days in the week.';
comment on column macros.v_week.days_logged is 'Number of days with entries, which the averages cover.';
comment on column macros.v_week.entries is 'Number of entries.';
comment on column macros.v_week.average_protein_g is 'Mean protein per day with entries, in grams.';
comment on column macros.v_week.average_carbs_g is 'Mean carbohydrates per day with entries, in grams.';
comment on column macros.v_week.average_fat_g is 'Mean fat per day with entries, in grams.';
comment on column macros.v_week.average_kcal is 'Mean energy per day with entries, in kcal.';
