-- A tenant table whose row-level security does not bind its owner.
alter table core.feed no force row level security;
