-- The server's login with the attribute to bypass all policies.
alter role fettle_app bypassrls;
