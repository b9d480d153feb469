-- Deletes up to a number of changes whose answers no device needs: applied ones that the device has confirmed,
-- decided ones after 90 days, and what revoked devices said of changes that they never sent. Returns the number deleted.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
create function core.forget_sync_items(p_most integer) returns integer
  language plpgsql volatile security definer
  set search_path = core, pg_temp
as $$
declare
  forgotten integer;
begin
  delete from core.sync_item i
  where (i.company_id, i.device_id, i.no) in (
    select o.company_id, o.device_id, o.no
    from core.sync_item o
    join core.device d on d.company_id = o.company_id and d.id = o.device_id
    where o.company_id = (select core.current_company())
      and (
        (o.status = 'synced' and o.no <= d.confirmed_no)
        or (o.status = 'resolved' and o.updated_at < now() - interval '90 days')
        or (o.result is null and d.revoked_at < now() - interval '90 days')
      )
    limit p_most
  );
  get diagnostics forgotten = row_count;
  return forgotten;
end
$$;
