-- Rights on a table without a policy: a delete would delete nothing, without an error.
drop policy tenant on core.feed;
