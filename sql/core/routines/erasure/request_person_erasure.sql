-- Starts the erasure of a person: an account without a name, which cannot sign in, will take her place. Returns the id of
-- the erasure, and the digest of her id.
--
-- owner: fettle_eraser
-- execute: fettle_admin
create function core.request_person_erasure(p_user uuid, p_by text) returns table (erasure uuid, digest bytea)
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  person core.app_user%rowtype;
  fresh uuid := gen_random_uuid();
  request uuid := gen_random_uuid();
begin
  select u.* into person from core.app_user u where u.id = p_user;
  if person.id is null then
    raise exception 'there is no such account' using errcode = 'no_data_found';
  end if;
  if not exists (select from core.erasure e where e.subject = p_user) then
    insert into core.app_user (id, email, name, kind, status)
    values (
      fresh, 'former-' || left(fresh::text, 8) || '@erased.invalid', 'Former member ' || left(fresh::text, 4),
      person.kind, 'disabled');
    insert into core.erasure (id, kind, subject, replacement, digest, label, due_at, requested_by, started_at)
    values (
      request, 'person', p_user, fresh, sha256(uuid_send(p_user)),
      sha256(uuid_send(request) || convert_to(person.email_key, 'utf8')), now(), p_by, now());
  end if;
  return query select e.id, e.digest from core.erasure e where e.subject = p_user;
end
$$;
