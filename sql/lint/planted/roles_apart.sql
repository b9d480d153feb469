-- A server that is the owner of its tables.
grant fettle_owner to fettle_app;
