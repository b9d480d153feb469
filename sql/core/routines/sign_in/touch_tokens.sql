-- Records uses of API tokens. Each array has one element per token. Locked rows are skipped: a later use records
-- them.
--
-- owner: fettle_auth
-- execute: fettle_app
create function core.touch_tokens(p_ids uuid[], p_at timestamptz[]) returns bigint
  language sql volatile security definer
  set search_path = core, pg_temp
as $$
  with used as (
    select t.id, u.at
    from unnest(p_ids, p_at) u (id, at)
    join core.api_token t on t.id = u.id
    order by t.id
    for update of t skip locked
  ), touched as (
    update core.api_token t
    set last_used_at = greatest(t.last_used_at, least(u.at, now()))
    from used u
    where t.id = u.id
    returning t.id
  )
  select count(*) from touched
$$;
