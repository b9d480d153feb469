-- The right to truncate a table, which no policy restricts.
grant truncate on core.feed to fettle_worker;
