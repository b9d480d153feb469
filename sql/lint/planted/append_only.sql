-- A right to rewrite history.
grant update (comment) on core.history to fettle_app;
