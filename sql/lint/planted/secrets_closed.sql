-- A right to the whole table, including the secret.
grant select on core.app_user to fettle_admin;
