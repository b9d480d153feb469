-- Takes up to p_wanted permits of each rate limit; returns the number granted, the seconds until the next permit
-- comes back if none is left, the permits left, and the seconds until all have come back.
--
-- A limit of p_count permits per p_seconds is the generic cell rate algorithm: a permit takes p_seconds / p_count to
-- come back, and all may be used at once. Each key is one upsert, so that processes never grant more together than
-- the limit. Keys are locked in their order, so that calls do not deadlock.
-- In PL/pgSQL, because it keeps the plan; a function in SQL that cannot be inlined is planned at each call.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.take_rates(
  p_keys bytea[], p_wanted integer[], p_counts integer[], p_seconds double precision[])
  returns table (
    key bytea, granted integer, retry_after double precision, remaining integer, reset_after double precision)
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  with wanted as (
    select w.key, w.wanted, w.count, w.seconds / w.count as step
    from unnest(p_keys, p_wanted, p_counts, p_seconds) w (key, wanted, count, seconds)
    order by w.key
  ), taken as (
    insert into core.rate as r (key, used_until, granted)
    select
      w.key, statement_timestamp() + make_interval(secs => w.step * least(w.wanted, w.count)),
      least(w.wanted, w.count)
    from wanted w
    order by w.key
    on conflict (key) do update
    set (used_until, granted) = (
      -- A row that another call has just changed may be later than the start of this statement: nothing has come back.
      select
        greatest(r.used_until, statement_timestamp()) + make_interval(secs => w.step * n.granted), n.granted
      from wanted w
      cross join lateral (
        select greatest(0, least(
          w.wanted,
          floor(
            w.count + 0.000001
            - extract(epoch from greatest(r.used_until, statement_timestamp()) - statement_timestamp())
              ::double precision / w.step
          )::integer
        )) as granted
      ) n
      where w.key = r.key
    )
    returning r.key, r.used_until, r.granted
  )
  select
    t.key, t.granted,
    greatest(0, u.used / w.step + 1 - w.count) * w.step,
    greatest(0, floor(w.count + 0.000001 - u.used / w.step))::integer,
    u.used
  from taken t
  join wanted w on w.key = t.key
  cross join lateral (
    select greatest(0, extract(epoch from t.used_until - statement_timestamp())::double precision) as used
  ) u;
end
$$;
