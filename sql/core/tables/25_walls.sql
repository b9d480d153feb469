-- The first proof of an address ends the API tokens of its account: core.forget_unproven().
grant update (revoked_at) on core.api_token to fettle_auth;

-- The planner uses the values of all companies for its estimates, and shows estimates to every login. Without statistics
-- of these columns, a reporting login cannot find out names and addresses of other companies with EXPLAIN.
alter table core.app_user
  alter column email set statistics 0,
  alter column email_key set statistics 0,
  alter column name set statistics 0;
alter table core.company
  alter column slug set statistics 0,
  alter column name set statistics 0;
