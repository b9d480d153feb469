-- Totals are views over the entries: exact after any history, and private, because they run as their caller.

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

comment on view macros.v_daily_total is
  'What a person ate on a day: exact sums; a day without entries has no row.';
comment on column macros.v_daily_total.entries is 'How many entries.';

create function macros.goal_on(company uuid, person uuid, day date)
  returns table (
    goal_id   uuid,
    day_type  text,
    protein_g numeric,
    carbs_g   numeric,
    fat_g     numeric,
    kcal      numeric
  )
  language sql stable
begin atomic
  select g.id, g.day_type, g.protein_g, g.carbs_g, g.fat_g, g.kcal
  from macros.goal g
  where g.company_id = goal_on.company
    and g.created_by = goal_on.person
    and g.deleted_at is null
    and g.effective_from <= goal_on.day
    and g.day_type in ('default', (
          select c.day_type
          from macros.carb_cycle c
          where c.company_id = goal_on.company
            and c.created_by = goal_on.person
            and c.deleted_at is null
            and c.weekday = extract(isodow from goal_on.day)::integer))
  order by g.day_type = 'default', g.effective_from desc
  limit 1;
end;

comment on function macros.goal_on(uuid, uuid, date) is
  'The goal that holds on a day: the newest for that weekday''s kind of day, else the newest default.';

grant execute on function macros.goal_on(uuid, uuid, date) to fettle_app, fettle_worker, fettle_admin;

create view macros.v_day with (security_invoker = true) as
select
  t.company_id, t.created_by, t.local_date,
  t.entries, t.protein_g, t.carbs_g, t.fat_g, t.kcal,
  g.goal_id,
  g.day_type,
  g.protein_g as goal_protein_g,
  g.carbs_g as goal_carbs_g,
  g.fat_g as goal_fat_g,
  g.kcal as goal_kcal,
  round(100 * t.protein_g / nullif(g.protein_g, 0), 1) as protein_percent,
  round(100 * t.carbs_g / nullif(g.carbs_g, 0), 1) as carbs_percent,
  round(100 * t.fat_g / nullif(g.fat_g, 0), 1) as fat_percent,
  round(100 * t.kcal / nullif(g.kcal, 0), 1) as kcal_percent
from macros.v_daily_total t
left join lateral macros.goal_on(t.company_id, t.created_by, t.local_date) g on true;

comment on view macros.v_day is
  'Daily totals against the goal of the day; a percentage of no goal, or of zero, is null.';
comment on column macros.v_day.entries is 'How many entries.';
comment on column macros.v_day.goal_id is 'The goal that holds on the day; null: none.';
comment on column macros.v_day.day_type is 'The kind of day of that goal.';
comment on column macros.v_day.goal_protein_g is 'The goal''s protein, in grams.';
comment on column macros.v_day.goal_carbs_g is 'The goal''s carbohydrates, in grams.';
comment on column macros.v_day.goal_fat_g is 'The goal''s fat, in grams.';
comment on column macros.v_day.goal_kcal is 'The goal''s energy.';
comment on column macros.v_day.protein_percent is 'Protein in percent of the goal.';
comment on column macros.v_day.carbs_percent is 'Carbohydrates in percent of the goal.';
comment on column macros.v_day.fat_percent is 'Fat in percent of the goal.';
comment on column macros.v_day.kcal_percent is 'Energy in percent of the goal.';

-- A day on which nothing was logged says nothing about what was eaten: averages leave it out, and days_logged
-- tells over how many days they are.
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

comment on view macros.v_week is
  'Weeks from Monday: totals, and averages over the days that have entries.';

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

comment on view macros.v_month is 'Months: totals, and averages over the days that have entries.';

comment on column macros.v_week.week_starts_on is 'The Monday.';
comment on column macros.v_week.days is 'Days of the week.';
comment on column macros.v_week.days_logged is 'Days with entries, over which the averages are.';
comment on column macros.v_week.entries is 'How many entries.';
comment on column macros.v_week.average_protein_g is 'Protein on a day with entries, in grams.';
comment on column macros.v_week.average_carbs_g is 'Carbohydrates on a day with entries, in grams.';
comment on column macros.v_week.average_fat_g is 'Fat on a day with entries, in grams.';
comment on column macros.v_week.average_kcal is 'Energy on a day with entries.';
comment on column macros.v_month.month_starts_on is 'The first of the month.';
comment on column macros.v_month.days is 'Days of the month.';
comment on column macros.v_month.days_logged is 'Days with entries, over which the averages are.';
comment on column macros.v_month.entries is 'How many entries.';
comment on column macros.v_month.average_protein_g is 'Protein on a day with entries, in grams.';
comment on column macros.v_month.average_carbs_g is 'Carbohydrates on a day with entries, in grams.';
comment on column macros.v_month.average_fat_g is 'Fat on a day with entries, in grams.';
comment on column macros.v_month.average_kcal is 'Energy on a day with entries.';
