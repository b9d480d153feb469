-- One job per transaction.
\set number random(1, 1000000000)
insert into job (payload) values (jsonb_build_object('n', :number::bigint));
