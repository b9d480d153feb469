-- An entry function without pg_temp at the end of its search_path: a temporary table could shadow one of its tables.
alter function core.login_setting(text) set search_path = core;
