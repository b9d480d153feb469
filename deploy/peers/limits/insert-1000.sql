-- A thousand jobs a statement, which the server makes up itself: nothing is sent.
insert into job (payload)
select jsonb_build_object('n', number)
from generate_series(1, 1000) as number;
