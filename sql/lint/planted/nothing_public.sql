-- A right for every login there will ever be.
grant select on core.role to public;
