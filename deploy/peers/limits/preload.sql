-- The backlog; limits.py inserts its size.
insert into job (payload)
select jsonb_build_object('n', number)
from generate_series(1, %(jobs)s) as number;
