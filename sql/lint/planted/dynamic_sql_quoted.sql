-- SQL concatenated from arguments.
create function core.planted(relation text) returns void
  language plpgsql
as $$
begin
  execute 'truncate ' || relation;
end
$$;
