-- Returns the company under which jobs of a company count towards a limit: the company itself, or the system
-- company for a common limit; null if the limit does not apply.
--
-- execute: fettle_auth
create function core.limit_share(p_rule core.job_limit, p_company uuid) returns uuid
  language sql immutable
  set search_path = core, pg_temp
as $$
  select case
    when p_rule.company_id = p_company or p_rule.each_company then p_company
    when p_rule.company_id = '00000000-0000-7000-8000-000000000000' then p_rule.company_id
  end
$$;
