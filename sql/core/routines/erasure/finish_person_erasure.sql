-- Deletes the account of a person who is erased in all companies, with everything that signs her in. Fails if a company has
-- her as a member. Returns the number of erased rows.
--
-- owner: fettle_eraser
-- execute: fettle_admin
create function core.finish_person_erasure(p_erasure uuid) returns bigint
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  request core.erasure%rowtype;
  key text;
  target record;
  total bigint;
begin
  select e.* into request
  from core.erasure e
  where e.id = p_erasure and e.kind = 'person' and e.started_at is not null and e.finished_at is null;
  if request.id is null then
    raise exception 'this erasure is not running' using errcode = 'insufficient_privilege';
  end if;
  select u.email_key into key from core.app_user u where u.id = request.subject;
  for target in
    select c.oid::regclass as place
    from pg_catalog.pg_class c
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'user_id' and not a.attisdropped
    where c.relnamespace = 'core'::regnamespace
      and c.relkind = 'r'
      and c.oid not in (select t.place from core.company_tables() t)
      and not c.relispartition
  loop
    execute format('delete from %s t where t.user_id = $1', target.place) using request.subject;
  end loop;
  delete from core.mail_request r where r.email_key = key;
  delete from core.invite_failure f where f.account = key;
  delete from core.app_user u where u.id = request.subject;
  update core.erasure e set subject = null, replacement = null, finished_at = now()
  where e.id = p_erasure
  returning e.erased into total;
  return total;
end
$$;
