-- The claim of a visitor. core.claim_records(), which runs as fettle_auth, hands what belongs to the visitor's private
-- records to their new owner: comments, files, uploads, timers and judgements; and the visitor's devices.

create policy auth on core.comment to fettle_auth
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy auth on core.timer to fettle_auth
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy auth on core.watcher to fettle_auth
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy auth_update on core.sync_item for update to fettle_auth
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));
create policy auth_update on core.device for update to fettle_auth
  using (company_id = (select core.current_company()))
  with check (company_id = (select core.current_company()));

grant select (company_id, owner_id), update (owner_id) on core.comment, core.timer to fettle_auth;
grant select (owner_id), update (owner_id) on core.sync_item to fettle_auth;
grant select (owner_id, created_by), update (owner_id, created_by) on core.attachment, core.upload to fettle_auth;
grant select (company_id, record_type, record_id, user_id), update (user_id) on core.watcher to fettle_auth;
grant select (user_id), update (user_id) on core.device to fettle_auth;
