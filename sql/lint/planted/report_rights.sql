-- A reporting role that may use the schema core.
grant usage on schema core to fettle_report;
