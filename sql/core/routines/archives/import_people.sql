-- Returns the accounts of people in an archive, found by address, or created without a password: whoever reads mail at the
-- address can sign in by a new one. An account keeps its id unless another one has it, or it was erased.
--
-- owner: fettle_eraser
-- execute: fettle_admin
create function core.import_people(p_lines text[]) returns table (former uuid, person uuid)
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  line jsonb;
begin
  foreach line in array p_lines::jsonb[] loop
    former := line ->> 'id';
    select u.id into person
    from core.app_user u
    where u.email_key = lower(normalize(btrim(line ->> 'email'), nfc));
    if person is null then
      person := former;
      if exists (select from core.app_user u where u.id = former)
        or exists (select from core.erasure e where e.digest = sha256(uuid_send(former)))
      then
        person := gen_random_uuid();
      end if;
      insert into core.app_user (id, email, name, kind, status, created_at)
      values (
        person, line ->> 'email', line ->> 'name', line ->> 'kind', line ->> 'status',
        (line ->> 'created_at')::timestamptz);
      insert into core.former_name (user_id, until, name)
      select person, (n.value ->> 'until')::timestamptz, n.value ->> 'name'
      from jsonb_array_elements(line -> 'former_names') n;
    end if;
    return next;
  end loop;
end
$$;
