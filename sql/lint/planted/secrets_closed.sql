-- The right to read a whole table, including its secret column.
grant select on core.app_user to fettle_admin;
