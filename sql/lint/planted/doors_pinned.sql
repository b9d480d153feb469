-- A door through which a temporary table could be put in place of ours.
alter function core.login_lookup(text) set search_path = core;
