-- A rule that turns a write into nothing.
create rule planted as on delete to core.feed do instead nothing;
