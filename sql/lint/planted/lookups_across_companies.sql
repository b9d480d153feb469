-- A lookup of records by id alone: the row that it finds decides the company.
create index feed_by_record on core.feed (record_id);
