-- Most entries have no day on which they are due: an index that leaves them out is not written whenever one of them
-- moves on. Whoever asks for a day asks for entries that have one.

drop index maintenance.entry_company_id_due_on_idx;

create index entry_due on maintenance.entry (company_id, due_on)
  where due_on is not null and status_category <> 'done' and deleted_at is null;
