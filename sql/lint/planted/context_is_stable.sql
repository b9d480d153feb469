-- A context function marked immutable: a cached plan would keep its result.
alter function core.current_company() immutable;
