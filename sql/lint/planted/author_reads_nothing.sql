-- The right to read members, with which the SQL of an app could copy them.
grant select on core.membership to fettle_author;
