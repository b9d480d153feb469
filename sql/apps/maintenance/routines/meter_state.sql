-- Returns what a meter has counted until a time, and what it shows. One row, also for a meter without readings.
--
-- first_value is its first reading, counted_value the last one that counts, total_units what it counted between the
-- two, across resets. shift is the difference that resets made between what the meter shows and what it would show
-- without them: a plan that was due at 1250 before the meter was replaced is due at 1250 + shift. It leaves out the
-- resets that the 1250 takes into account: those that were taken until `since` and recorded until `known`.
--
-- execute: fettle_app, fettle_worker, fettle_admin
create function maintenance.meter_state(
  company uuid,
  meter uuid,
  until timestamptz default 'infinity',
  since timestamptz default 'infinity',
  known timestamptz default 'infinity'
)
  returns table (
    first_value   numeric,
    counted_value numeric,
    total_units   numeric,
    shift         numeric
  )
  language sql stable
begin atomic
  with recursive reading as (
    select
      r.taken_at as at,
      r.value,
      case when r.is_reset then coalesce(r.first_value, r.value) end as starts_at,
      null::numeric as per_hour
    from maintenance.meter_reading r
    where r.company_id = meter_state.company
      and r.meter_id = meter_state.meter
      and r.deleted_at is null
      and r.taken_at <= meter_state.until
  ),
  -- include: counter_steps
  select
    (array_agg(s.value order by s.at))[1],
    (array_agg(s.value order by s.at desc) filter (where s.step is not null))[1],
    round(coalesce(sum(s.step), 0), 3),
    coalesce(
      sum(s.shift) filter (
        where exists (
          select from maintenance.meter_reading r
          where r.company_id = meter_state.company
            and r.meter_id = meter_state.meter
            and r.deleted_at is null
            and r.taken_at = s.at
            and (r.taken_at > meter_state.since or r.created_at > meter_state.known)
        )), 0)
  from step s;
end;
