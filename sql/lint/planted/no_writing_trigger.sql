-- A trigger that writes to another table.
create function core.planted() returns trigger
  language plpgsql
as $$
begin
  update core.sync_gate set floor = floor + 1 where company_id = new.company_id;
  return new;
end
$$;

create trigger planted after insert on core.feed
  for each row execute function core.planted();
