-- The server's login with the rights of the owner of the tables.
grant fettle_owner to fettle_app;
