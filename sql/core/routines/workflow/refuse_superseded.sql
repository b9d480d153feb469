-- Aborts a transaction that was decided under workflow rules which have changed since; the engine retries it.
--
-- execute: fettle_app, fettle_worker, fettle_admin
create function core.refuse_superseded() returns bigint
  language plpgsql volatile
as $$
begin
  raise exception 'the company has begun to follow another workflow since this was decided'
    using errcode = 'serialization_failure', hint = 'Decide again.';
end
$$;
