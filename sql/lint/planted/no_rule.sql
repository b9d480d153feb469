-- A rule that discards writes.
create rule planted as on delete to core.feed do instead nothing;
