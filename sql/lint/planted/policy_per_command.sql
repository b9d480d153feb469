-- A right to delete that no policy admits: it would touch nothing, without an error.
drop policy tenant on core.feed;
