-- Daily totals against the goal of the day; the percentage is null if the goal is missing or zero.
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

comment on column macros.v_day.entries is 'Number of entries.';
comment on column macros.v_day.goal_id is 'Goal that applies on the day; null if none.';
comment on column macros.v_day.day_type is 'Day type of the goal; null without a goal.';
comment on column macros.v_day.goal_protein_g is 'Protein of the goal in grams; null without a goal.';
comment on column macros.v_day.goal_carbs_g is 'Carbohydrates of the goal in grams; null without a goal.';
comment on column macros.v_day.goal_fat_g is 'Fat of the goal in grams; null without a goal.';
comment on column macros.v_day.goal_kcal is 'Energy of the goal in kcal; null without a goal.';
comment on column macros.v_day.protein_percent is
  'Protein in percent of the goal; null if the goal is missing or zero.';
comment on column macros.v_day.carbs_percent is
  'Carbohydrates in percent of the goal; null if the goal is missing or zero.';
comment on column macros.v_day.fat_percent is 'Fat in percent of the goal; null if the goal is missing or zero.';
comment on column macros.v_day.kcal_percent is 'Energy in percent of the goal; null if the goal is missing or zero.';
