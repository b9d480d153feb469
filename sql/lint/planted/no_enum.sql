-- An enum: comparisons are not leakproof, and removing a value rewrites the table.
create type core.planted as enum ('open', 'done');
