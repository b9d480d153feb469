-- A server that passes by every policy.
alter role fettle_app bypassrls;
