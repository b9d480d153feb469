-- What becomes of old weeks.
--
-- Which weeks may go. A post of a week may go when the week ended longer ago than finished jobs are kept and each
-- post of it is in a claim that is settled: what was not done of a claim that was lost was posted again, and what
-- waits or has ended badly has a row of its own with all that is needed to post it. A week with an open post stays.
-- A claim says of posts that they are taken, and the last claim of a lane where the next one begins, so claims must
-- outlive the posts that they cover. A claim's week is that of its transaction's beginning, and so is a post's: a post
-- that was begun on a Monday may be covered by a claim that was begun on the Sunday before and saw it committed; and
-- a claim covers what was posted any time before. So a claim of week W covers no post of a week after W + 1, and once
-- all weeks of posts up to W + 1 are gone it covers none that is left: claims go a week after the posts. A lane whose
-- last claim is gone begins anew: everything that is left in it is later than what that claim covered, so all of it
-- is free, and a claim number that is used again belongs to a row of another week and another worker. Settlements,
-- attempts and notes go with the claims.
-- Nothing in flight is lost: whoever inserts into a week or reads it holds a lock on its partition that dropping
-- waits for, for no longer than a moment, and gives up: then its turn is the next time.

set local row_security = on;

-- The weeks of the queue.

create function core.lane_is_open(p_company uuid, p_lane uuid, p_week date) returns boolean
  language plpgsql stable security definer
  set search_path = core, pg_temp
as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  head record;
  floor_xid xid8 := '0';
  floor_id uuid := nobody;
begin
  select c.before, c.upto, c.last_xid, c.last_id into head
  from core.job_claim c
  where c.company_id = p_company and c.lane = p_lane
  order by c.company_id desc, c.lane desc, c.no desc
  limit 1;
  if found then
    floor_xid := greatest(head.last_xid, pg_snapshot_xmax(head.before));
    if floor_xid = head.last_xid then floor_id := head.last_id; end if;
    if exists (
      select from core.job_post p
      where p.week = p_week and p.lane = p_lane
        and (p.xid in (select pg_snapshot_xip(head.before)) or p.xid in (select pg_snapshot_xip(head.upto)))
        and not core.is_claimed(p_company, p_lane, p.xid, p.id))
    then
      return true;
    end if;
  end if;
  return exists (
    select from core.job_post p
    where p.week = p_week and (p.lane, p.xid, p.id) > (p_lane, floor_xid, floor_id) and p.lane <= p_lane);
end
$$;

comment on function core.lane_is_open(uuid, uuid, date) is 'Whether a lane has a post of a week that nobody has claimed.';

create function core.week_open_posts(p_week date) returns text
  language plpgsql stable security definer
  set search_path = core, pg_temp
  set enable_seqscan = off
as $$
declare
  open record;
begin
  select t.company_id, t.kind into open
  from core.job_tally t
  where t.posted > t.claimed and core.lane_is_open(t.company_id, t.lane, p_week)
  limit 1;
  if found then return format('jobs of kind %s wait for a worker', open.kind); end if;
  perform from core.open_claims_of(null) c
  where exists (
    select from core.slice_places(c.lane, c.before, c.upto, c.after_xid, c.after_id, c.jobs) s
    join core.job_post p on p.company_id = s.company_id and p.id = s.id and p.round = s.round
    where p.week = p_week);
  if found then return 'jobs are running'; end if;
  return null;
end
$$;

comment on function core.week_open_posts(date) is 'Why the posts of a week cannot go; null: all are done with.';

create function core.has_posts_since(p_week date, p_seen pg_snapshot) returns boolean
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select exists (
    select from core.job_post p
    where p.week = p_week and p.xid >= pg_snapshot_xmin(p_seen) and not pg_visible_in_snapshot(p.xid, p_seen))
$$;

comment on function core.has_posts_since(date, pg_snapshot) is 'Whether a week has posts that a snapshot does not see.';

create function core.forget_lanes(p_week date) returns void
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  delete from core.job_tally t where t.claim_week <= p_week and t.posted = t.claimed and t.claim_no > 0;
  update core.job_tally t
  set claim_no = 0, claim_week = '-infinity', claim_xid = '0'
  where t.claim_week <= p_week and t.claim_no > 0;
end
$$;

comment on function core.forget_lanes(date) is
  'Has the tally begin anew with lanes whose last claim is of this week or an earlier one, as it goes.';

create function core.job_weeks()
  returns table (week date, posts boolean, claims boolean, bytes bigint)
  language sql stable
  set search_path = core, pg_temp
as $$
  select to_date(right(c.relname, 8), 'YYYYMMDD'), bool_or(c.relname ~ '^job_post_'), bool_or(c.relname ~ '^job_claim_'),
    sum(pg_total_relation_size(c.oid))::bigint
  from pg_catalog.pg_class c
  where c.relnamespace = 'core'::regnamespace and c.relkind = 'r'
    and c.relname ~ '^job_(post|claim|settlement|attempt|note)_[0-9]{8}$'
  group by 1
  order by 1
$$;

comment on function core.job_weeks() is 'The weeks that have partitions, oldest first.';

-- The next two change tables, so they are the owner's and not the doors'; the lint names them.

create function core.keep_job_weeks() returns integer
  language plpgsql security definer
  set search_path = core, pg_temp
  set client_min_messages = warning
as $$
declare
  v_week date;
  parent text;
  rest text;
  part text;
  opened integer := 0;
begin
  perform set_config('lock_timeout', '200ms', true);
  for v_week in
    select (date_trunc('week', now()) + n * interval '1 week')::date from generate_series(-1, 3) n
  loop
    continue when to_regclass(format('core.job_post_%s', to_char(v_week, 'YYYYMMDD'))) is not null;
    foreach parent in array array['job_post', 'job_claim', 'job_settlement', 'job_attempt', 'job_note'] loop
      rest := format('%s_rest', parent);
      part := format('%s_%s', parent, to_char(v_week, 'YYYYMMDD'));
      continue when to_regclass(format('core.%I', rest)) is null or to_regclass(format('core.%I', part)) is not null;
      -- What was written before anybody opened the week lies in the rest, and moves.
      execute format('lock table core.%I in access exclusive mode', parent);
      execute format('create table core.%I (like core.%I including defaults including constraints)', part, parent);
      execute format('alter table core.%I no force row level security', rest);
      execute format(
        'with moved as (delete from core.%I where week >= %L and week < %L returning *) '
        'insert into core.%I select * from moved', rest, v_week, v_week + 7, part);
      execute format('alter table core.%I force row level security', rest);
      execute format(
        'alter table core.%I attach partition core.%I for values from (%L) to (%L)', parent, part, v_week, v_week + 7);
      execute format('alter table core.%I enable row level security', part);
      execute format('alter table core.%I force row level security', part);
    end loop;
    opened := opened + 1;
  end loop;
  return opened;
end
$$;

comment on function core.keep_job_weeks() is
  'Opens the weeks that come, and moves into them what was written before they were; says how many.';

create function core.drop_job_week(p_week date, p_keep interval) returns text
  language plpgsql security definer
  set search_path = core, pg_temp
  set client_min_messages = warning
as $$
declare
  seen pg_snapshot;
  reason text;
  oldest date;
  parent text;
  part text;
begin
  if p_keep < interval '1 day' or p_week + 7 + p_keep > now() then return 'it is not old enough'; end if;
  perform set_config('lock_timeout', '50ms', true);
  part := format('job_post_%s', to_char(p_week, 'YYYYMMDD'));
  if to_regclass(format('core.%I', part)) is not null then
    perform core.tally_jobs('0 seconds');
    seen := pg_current_snapshot();
    reason := core.week_open_posts(p_week);
    if reason is not null then return reason; end if;
    begin
      execute format('lock table core.job_post, core.%I in access exclusive mode', part);
    exception when lock_not_available then
      return 'it is in use';
    end;
    if core.has_posts_since(p_week, seen) then return 'somebody wrote to it'; end if;
    execute format('drop table core.%I', part);
  end if;
  -- Claims of a week cover posts of the next one too.
  select min(w.week) into oldest from core.job_weeks() w where w.posts;
  if p_week + 7 >= oldest then return null; end if;
  foreach parent in array array['job_claim', 'job_settlement', 'job_attempt', 'job_note'] loop
    part := format('%s_%s', parent, to_char(p_week, 'YYYYMMDD'));
    continue when to_regclass(format('core.%I', part)) is null;
    begin
      execute format('lock table core.%I, core.%I in access exclusive mode', parent, part);
    exception when lock_not_available then
      return 'its claims are in use';
    end;
    execute format('drop table core.%I', part);
  end loop;
  perform core.forget_lanes(p_week);
  return null;
end
$$;

comment on function core.drop_job_week(date, interval) is
  'Drops a week''s posts once they are done and kept for that long, and its claims once no post needs them; says why not.';

revoke execute on function core.lane_is_open(uuid, uuid, date), core.week_open_posts(date),
  core.has_posts_since(date, pg_snapshot), core.forget_lanes(date), core.job_weeks(), core.keep_job_weeks(),
  core.drop_job_week(date, interval)
  from public;
grant execute on function core.week_open_posts(date), core.keep_job_weeks(), core.drop_job_week(date, interval)
  to fettle_worker, fettle_admin;
grant execute on function core.job_weeks() to fettle_app, fettle_worker, fettle_admin;

grant create on schema core to fettle_auth;
alter function core.lane_is_open(uuid, uuid, date) owner to fettle_auth;
alter function core.week_open_posts(date) owner to fettle_auth;
alter function core.has_posts_since(date, pg_snapshot) owner to fettle_auth;
alter function core.forget_lanes(date) owner to fettle_auth;
revoke create on schema core from fettle_auth;

-- The owner inherits nothing from the doors: what its two functions call is granted to it by name, by the doors.
set local role fettle_auth;
grant execute on function core.tally_jobs(interval), core.week_open_posts(date), core.has_posts_since(date, pg_snapshot),
  core.forget_lanes(date)
  to fettle_owner;
set local role fettle_owner;
