-- Ends the erasure of a company of which no row is left: its own row keeps no name. Returns the number of erased rows.
--
-- owner: fettle_eraser
-- execute: fettle_admin, fettle_worker
create function core.finish_erasure(p_erasure uuid) returns bigint
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  company uuid := core.entered_erasure(p_erasure);
  target record;
  is_left boolean;
  total bigint;
begin
  for target in select t.place from core.company_tables() t loop
    execute format('select exists (select from %s t where t.company_id = $1)', target.place)
    into is_left using company;
    if is_left then
      raise exception 'the table % still has rows of the company', target.place
        using errcode = 'object_not_in_prerequisite_state';
    end if;
  end loop;
  update core.company c
  set slug = 'erased-' || encode(substr(sha256(uuid_send(c.id)), 1, 6), 'hex'), name = 'erased', timezone = 'UTC',
    language = 'en', settings = '{}', updated_at = now()
  where c.id = company;
  update core.erasure e set subject = null, finished_at = now()
  where e.id = p_erasure
  returning e.erased into total;
  return total;
end
$$;
