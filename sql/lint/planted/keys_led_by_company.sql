-- A unique index across companies: a conflict reveals values of another company.
create unique index planted on core.history (record_id, seq);
