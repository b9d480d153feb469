-- Returns the goal for a day: the newest goal for the weekday's day type, otherwise the newest default goal.
--
-- execute: fettle_app, fettle_worker, fettle_admin
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
