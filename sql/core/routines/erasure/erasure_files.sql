-- Returns the next keys of stored bytes of the company that is being erased, in ascending order: 32 bytes are the SHA-256
-- of a blob, 16 the id of an upload.
--
-- owner: fettle_eraser
-- execute: fettle_admin, fettle_worker
create function core.erasure_files(p_erasure uuid, p_after bytea, p_limit integer) returns setof bytea
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  company uuid := core.entered_erasure(p_erasure);
begin
  return query
    select f.key
    from (
      select b.sha256 as key from core.blob b where b.company_id = company
      union all
      select uuid_send(u.id) from core.upload u where u.company_id = company
    ) f
    where f.key > p_after
    order by 1
    limit p_limit;
end
$$;
