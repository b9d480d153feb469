-- An entry function in which a temporary table can shadow ours.
alter function core.login_lookup(text) set search_path = core;
