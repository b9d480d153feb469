-- A right to empty a table, which no policy restrains.
grant truncate on core.feed to fettle_worker;
