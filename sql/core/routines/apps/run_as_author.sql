-- Runs one statement of an app's SQL with the rights of fettle_author.
--
-- A SECURITY DEFINER function, because its body cannot change the role: after `set role`, the statement could
-- become the login that installs the app.
--
-- owner: fettle_author
-- execute: fettle_owner
create function core.run_as_author(statement text) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  execute statement;
end
$$;
