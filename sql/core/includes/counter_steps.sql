-- Computes what a counter has counted from its readings: the one rule for energy meters and for meters on machines.
--
-- Follows a `with recursive` that defines reading (at, value, starts_at, per_hour) with distinct times. starts_at is the
-- first value of a new counter if somebody said that the counter was reset or replaced before the reading, otherwise
-- null; per_hour is the most that it can count in an hour, null for no limit.
--
-- step.step is what was counted between step.since and the reading, null if the reading does not count: one that is
-- lower than the counter was, or higher than it can be, until later readings confirm it. step.shift is the difference
-- between a new counter's first value and the old one's last, null for other readings; step.left_out is the part of a
-- step that is above the limit, which does not count.
--
-- Readings are a run as long as each can follow the one before it: not lower, and no higher than the counter can have
-- counted in between, with a minute of delay and one unit of its last digit.
pair as (
  select
    p.*,
    case
      when p.previous_at is null or p.starts_at is not null or p.value < p.previous_value then true
      when p.value = p.previous_value or p.per_hour is null then false
      else p.value - p.previous_value
        > p.per_hour * extract(epoch from p.at - p.previous_at + interval '1 minute') / 3600
          + power(10::numeric, -greatest(min_scale(p.value), min_scale(p.previous_value)))
    end as begins
  from (
    select r.*, lag(r.at) over w as previous_at, lag(r.value) over w as previous_value
    from reading r
    window w as (order by r.at)
    offset 0
  ) p
  offset 0
),
placed as (
  select p.*, count(*) filter (where p.begins) over (order by p.at rows unbounded preceding) as run
  from pair p
),
run as (
  select
    p.run,
    p.at as first_at,
    p.value as first_value,
    p.starts_at,
    p.per_hour,
    coalesce(lead(p.previous_at) over w, z.at) as last_at,
    coalesce(lead(p.previous_value) over w, z.value) as last_value
  from placed p
  cross join (select y.at, y.value from placed y order by y.at desc limit 1) z
  where p.begins
  window w as (order by p.run)
),
-- The level is the last reading that counts. A run below it is a new counter if that is said, or if it rises twice and
-- stays below; a run above it is one unless the readings come back to the level, from a long run within an hour. A new
-- counter that is said to have counted more than it can counts from its first reading.
level as (
  select
    u.run,
    'joined' as fate,
    null::numeric as level,
    null::timestamptz as level_at,
    u.last_value as next_level,
    u.last_at as next_level_at
  from run u
  where u.run = 1
  union all
  select
    u.run,
    f.fate,
    v.next_level,
    v.next_level_at,
    case
      when f.fate = 'high' or f.fate = 'low' and u.last_value < v.next_level then v.next_level
      else u.last_value
    end,
    case
      when f.fate = 'high' or f.fate = 'low' and u.last_value < v.next_level then v.next_level_at
      else u.last_at
    end
  from level v
  join run u on u.run = v.run + 1
  left join run w on w.run = v.run + 2
  cross join lateral (
    select
      u.first_value < v.next_level as falls,
      coalesce(
        u.first_value - v.next_level > u.per_hour
          * extract(epoch from u.first_at - v.next_level_at + interval '1 minute') / 3600
          + power(10::numeric, -greatest(min_scale(u.first_value), min_scale(v.next_level))), false) as leaps,
      coalesce(
        u.first_value - u.starts_at > u.per_hour
          * extract(epoch from u.first_at - v.next_level_at + interval '1 minute') / 3600
          + power(10::numeric, -greatest(min_scale(u.first_value), min_scale(u.starts_at))), false) as starts_high,
      coalesce(
        w.starts_at is null and w.first_value >= v.next_level
          and (w.per_hour is null or w.first_value - v.next_level <= w.per_hour
            * extract(epoch from w.first_at - v.next_level_at + interval '1 minute') / 3600
            + power(10::numeric, -greatest(min_scale(w.first_value), min_scale(v.next_level)))), false) as returns,
      coalesce(w.first_at - u.first_at <= interval '1 hour', false) as is_short
    offset 0
  ) c
  cross join lateral (
    select case
      when u.starts_at is not null then case when c.starts_high then 'said_high' else 'said' end
      when not c.falls and not c.leaps then 'joined'
      when c.falls and not (c.returns and c.is_short) and (
        select count(distinct p.value) filter (where p.value < v.next_level) > 2
          and bool_and(p.value < v.next_level or p.at > u.first_at + interval '1 hour')
        from placed p
        where p.run = u.run
      ) then 'reset'
      when c.falls then 'low'
      when c.returns and (
        c.is_short or (select count(distinct p.value) from placed p where p.run = u.run) < 3
      ) then 'high'
      else 'jump'
    end as fate
    offset 0
  ) f
),
step as (
  select
    p.at,
    p.value,
    p.previous_at,
    v.fate,
    case
      when v.fate = 'high' then null
      when v.fate = 'low' then
        case
          when p.value >= v.level
          then p.value - greatest(v.level, case when not p.begins then p.previous_value end)
        end
      when not p.begins then p.value - p.previous_value
      when v.fate = 'said' then p.value - p.starts_at
      when v.fate = 'joined' then p.value - coalesce(v.level, p.value)
      else 0
    end as step,
    case when p.begins or v.fate = 'low' and p.previous_value < v.level then v.level_at else p.previous_at end as since,
    case
      when p.begins and v.fate in ('said', 'said_high') then p.starts_at - v.level
      when p.begins and v.fate in ('reset', 'jump') then p.value - v.level
    end as shift,
    case
      when p.begins and v.fate in ('jump', 'high') then p.value - v.level
      when p.begins and v.fate = 'said_high' then p.value - p.starts_at
    end as left_out
  from placed p
  join level v on v.run = p.run
)
