-- An index on lower(): under row-level security it is not used.
create index planted on core.role (company_id, lower(label));
