-- A reporting role that may name the app's tables itself.
grant usage on schema core to fettle_report;
