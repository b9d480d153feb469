-- A unique index across companies reveals the values of one to another.
create unique index planted on core.history (record_id, seq);
