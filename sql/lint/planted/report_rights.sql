-- A reporting role with access to the app's tables.
grant usage on schema core to fettle_report;
