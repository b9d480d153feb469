-- Returns the jobs in a state that are deferred (queued, retrying, any) or ended (dead, cancelled,
-- succeeded), newest first.
--
-- any: only deferred jobs that were never enqueued; listed_queued returns the others. The table is read by
-- queue and kind, in the order of an index.
--
-- execute: fettle_app, fettle_worker, fettle_admin
-- set: enable_seqscan = off, enable_bitmapscan = off, jit = off, plan_cache_mode = force_generic_plan
create function core.listed_deferred(
    p_company uuid, p_queue text, p_kind text, p_state text, p_at timestamptz, p_id uuid, p_limit integer)
  returns setof core.job_line
  language plpgsql stable
  set search_path = core, pg_temp
as $$
declare
  last_place constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  is_end constant boolean := p_state in ('dead', 'cancelled', 'succeeded');
  place constant text := case when is_end then 'job_end' else 'job_deferred' end;
  condition constant text := case p_state
    when 'retrying' then 'o.attempt > 0' when 'queued' then 'o.attempt = 0'
    when 'any' then 'o.attempt = 0 and o.round = 1' else format('o.state = %L', p_state) end;
  index_condition constant text := case p_state when 'any' then 'o.attempt = 0' else condition end;
  whose constant text := case when p_company is null then 'true' else 'o.company_id = $1' end;
  queues text[] := '{}';
  kinds text[] := '{}';
  v_queue text := '';
  v_kind text := '';
begin
  if p_queue is not null and p_kind is not null then
    queues := array[p_queue];
    kinds := array[p_kind];
  else
    loop
      execute format(
        'select o.queue, o.kind from core.%I o where %s and (o.queue, o.kind) > ($2, $3) and %s '
        'order by o.queue, o.kind limit 1', place, whose, index_condition)
      into v_queue, v_kind using p_company, v_queue, v_kind;
      exit when v_kind is null;
      if (p_queue is null or v_queue = p_queue) and (p_kind is null or v_kind = p_kind) then
        queues := queues || v_queue;
        kinds := kinds || v_kind;
      end if;
    end loop;
  end if;
  return query execute format(
    'select l.* from unnest($2::text[], $3::text[]) k (queue, kind) cross join lateral ('
    '  select o.company_id, o.id, o.round, o.queue, o.kind, %1$s, o.priority, o.attempt, o.max_attempts, %2$s, '
    '    o.created_at, %3$s, null::uuid, o.lane, null::xid8 '
    '  from core.%4$I o '
    '  where %5$s and (o.queue, o.kind, o.%6$I, o.id) < (k.queue, k.kind, $4, $5) and o.queue >= k.queue '
    '    and o.queue = k.queue and o.kind = k.kind and %7$s '
    '  order by o.queue desc, o.kind desc, o.%6$I desc, o.id desc limit $6'
    ') l order by l.%6$I desc, l.id desc limit $6',
    case when is_end then 'o.state' else 'case when o.attempt = 0 then ''queued'' else ''retrying'' end as state' end,
    case when is_end then 'o.created_at as run_at' else 'o.run_at' end,
    case when is_end then 'o.finished_at' else 'null::timestamptz as finished_at' end,
    place, whose, case when is_end then 'finished_at' else 'created_at' end, condition)
  using p_company, queues, kinds, coalesce(p_at, 'infinity'), coalesce(p_id, last_place), p_limit;
end
$$;
