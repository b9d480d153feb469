-- Archives of companies: fettle_eraser also writes the rows of a company that the same transaction creates from an archive.
-- Its rows are reached by the policies of core.attach_eraser().

grant insert on core.company, core.former_name to fettle_eraser;
