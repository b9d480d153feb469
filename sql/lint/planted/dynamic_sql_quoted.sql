-- SQL glued together from what was passed in.
create function core.planted(relation text) returns void
  language plpgsql
as $$
begin
  execute 'truncate ' || relation;
end
$$;
