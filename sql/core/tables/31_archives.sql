-- Archives of companies: fettle_eraser also writes the rows of a company that the same transaction creates from an archive.
-- Its rows are reached by the policies of core.attach_eraser().

grant insert on core.company, core.former_name to fettle_eraser;
-- The guard of records reads them for a record in a later status.
grant select on core.workflow_state to fettle_eraser;
