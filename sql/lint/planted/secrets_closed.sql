-- A right to the whole table, the secret included.
grant select on core.app_user to fettle_admin;
