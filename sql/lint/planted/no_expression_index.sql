-- An index on lower(), which PostgreSQL does not use under row-level security.
create index planted on core.role (company_id, lower(label));
