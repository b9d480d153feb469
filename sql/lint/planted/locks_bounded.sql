-- The right to lock all machines, of all companies, in ACCESS EXCLUSIVE mode.
grant update on maintenance.machine to fettle_app;
