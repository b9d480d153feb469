-- A right to delete without a policy: it would delete nothing, without an error.
drop policy tenant on core.feed;
