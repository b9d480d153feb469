-- A server login that bypasses all policies.
alter role fettle_app bypassrls;
