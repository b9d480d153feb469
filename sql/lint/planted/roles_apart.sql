-- A server login with the rights of the tables' owner.
grant fettle_owner to fettle_app;
