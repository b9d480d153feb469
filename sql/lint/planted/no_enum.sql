-- An enum: comparing one may leak, and taking a value away rewrites the table.
create type core.planted as enum ('open', 'done');
