-- The right to update history.
grant update (comment) on core.history to fettle_app;
