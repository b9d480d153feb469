-- Returns the accounts of people in an archive, found by address, or created without a password: whoever reads mail at the
-- address can sign in by a new one. An account keeps its id unless another one has it.
--
-- Somebody who was erased here gets an account under another id, which nobody can sign in to, for the import to erase: an
-- erasure is in the database, or its digest, in hex, among the given ones. It has her address as a former name, since she may have come
-- back.
--
-- owner: fettle_eraser
-- execute: fettle_admin
create function core.import_people(p_lines text[], p_erased text[])
  returns table (former uuid, person uuid, is_erased boolean)
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  line jsonb;
begin
  foreach line in array p_lines::jsonb[] loop
    former := line ->> 'id';
    is_erased := encode(sha256(uuid_send(former)), 'hex') = any (p_erased)
      or exists (select from core.erasure e where e.digest = sha256(uuid_send(former)));
    person := null;
    if not is_erased then
      select u.id into person
      from core.app_user u
      where u.email_key = lower(normalize(btrim(line ->> 'email'), nfc));
    end if;
    if person is null then
      person := case
        when is_erased or exists (select from core.app_user u where u.id = former) then gen_random_uuid()
        else former
      end;
      insert into core.app_user (id, email, name, kind, status, created_at)
      values (
        person, case when is_erased then person || '@erased.invalid' else line ->> 'email' end, line ->> 'name',
        line ->> 'kind', case when is_erased then 'disabled' else line ->> 'status' end,
        (line ->> 'created_at')::timestamptz);
      insert into core.former_name (user_id, until, name)
      select person, (n.value ->> 'until')::timestamptz, n.value ->> 'name'
      from jsonb_array_elements(line -> 'former_names') n
      union all
      select person, now(), line ->> 'email' where is_erased;
    end if;
    return next;
  end loop;
end
$$;
