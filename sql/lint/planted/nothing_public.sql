-- A right for all present and future logins.
grant select on core.role to public;
