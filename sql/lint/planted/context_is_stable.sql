-- A context that a cached plan would keep.
alter function core.current_company() immutable;
