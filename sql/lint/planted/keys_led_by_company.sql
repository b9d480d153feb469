-- A unique index over all companies tells one of them what another has.
create unique index planted on core.history (record_id, seq);
