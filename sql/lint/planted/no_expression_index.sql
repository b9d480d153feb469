-- An index on lower(), which is not used under row-level security.
create index planted on core.role (company_id, lower(label));
