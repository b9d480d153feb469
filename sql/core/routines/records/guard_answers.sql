-- Returns the answers of SQL/JSON path predicates about a document, in order; null where one cannot be decided.
--
-- Names the predicate that was being evaluated when the statement's time limit ended (FT025). A cancellation
-- before the limit is passed on.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_auth
create function core.guard_answers(p_document jsonb, p_paths text[]) returns boolean[]
  language plpgsql stable
as $$
declare
  answers boolean[] := '{}';
  path text;
begin
  foreach path in array p_paths loop
    answers := pg_catalog.array_append(
      answers, pg_catalog.jsonb_path_match(p_document, path::pg_catalog.jsonpath, '{}', true));
  end loop;
  return answers;
exception
  when query_canceled then
    if pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp()
      < pg_catalog.current_setting('statement_timeout')::pg_catalog.interval / 2
    then
      raise;
    end if;
    raise exception 'a condition took too long' using errcode = 'FT025', detail = path;
end
$$;
