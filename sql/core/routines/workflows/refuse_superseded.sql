-- Aborts a transaction that was decided under workflow rules which have changed since; the engine retries it.
--
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.refuse_superseded() returns bigint
  language plpgsql volatile
as $$
begin
  raise exception 'the workflow rules of the company have changed since the transaction was decided'
    using errcode = 'serialization_failure', hint = 'retry the transaction';
end
$$;
