-- Returns the most in kW that a site can make: its capacity. A site of unknown capacity is taken for a small one of
-- 100 kW, unless one of its samples has more power. Null for an unknown site.
--
-- execute: fettle_app, fettle_worker, fettle_admin
create function solar.power_limit(company uuid, site uuid) returns numeric
  language sql stable
begin atomic
  select coalesce(
    t.capacity_kw,
    (
      -- One look-up in the index of such samples.
      select s.inverter_kw
      from solar.sample s
      where s.company_id = t.company_id
        and s.site_id = t.id
        and s.inverter_kw > 100
      order by s.inverter_kw desc
      limit 1
    ),
    100)
  from solar.site t
  where t.company_id = power_limit.company
    and t.id = power_limit.site;
end;
