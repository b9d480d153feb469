-- Rate limits of the API, shared by all server processes. The table is unlogged: a crash of the server empties it,
-- and all limits start again.

create unlogged table core.rate (
  key        bytea       primary key check (octet_length(key) = 32),
  used_until timestamptz not null,
  granted    integer     not null check (granted >= 0)
) with (fillfactor = 50);  -- room for the new version of a row beside the old one

comment on table  core.rate is
  'Use of rate limits, one row per rule and subject: accounts, addresses, companies. Unlogged. Global.';
comment on column core.rate.key is 'HMAC of the rule and its subject, so that the table names nobody.';
comment on column core.rate.used_until is
  'Time at which all used permits have come back (GCRA); once it has passed, the row may be deleted.';
comment on column core.rate.granted is 'Number of permits that the last call granted.';

grant select, insert, update, delete on core.rate to fettle_auth;
