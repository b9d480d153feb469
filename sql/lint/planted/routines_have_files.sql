-- A function without a file.
set local role fettle_owner;
create function core.unfiled() returns integer language sql stable return 1;
