-- Number and value of items by warranty status today, in the company's time zone.
-- columns: company_id uuid, company text, warranty text, currency text, items bigint, value numeric,
--   next_expiry date, zone_unknown boolean
create view report.v1_warranty_cover with (security_invoker = true, security_barrier = true) as
select
  s.company_id,
  c.slug as company,
  s.warranty,
  s.currency,
  count(*) as items,
  coalesce(sum(s.purchase_price), 0) as value,
  min(s.warranty_expires_on) as next_expiry,
  bool_or(s.zone <> c.timezone) as zone_unknown
from (
  select
    i.company_id,
    i.currency,
    i.purchase_price,
    i.warranty_expires_on,
    k.zone,
    case
      when i.warranty_expires_on is null then 'none'
      when i.warranty_expires_on < t.today then 'expired'
      when i.warranty_expires_on - t.today <= 30 then 'expiring'
      else 'active'
    end as warranty
  from inventory.item i
  join (
    -- One call for each company, not for each row.
    select z.id, core.known_zone(z.timezone) as zone from core.company z offset 0
  ) k on k.id = i.company_id
  cross join lateral (select (now() at time zone k.zone)::date as today) t
  where i.deleted_at is null
) s
join core.company c on c.id = s.company_id
group by s.company_id, c.slug, s.warranty, s.currency;

comment on column report.v1_warranty_cover.company_id is 'The company.';
comment on column report.v1_warranty_cover.company is 'Short name of the company.';
comment on column report.v1_warranty_cover.warranty is
  'Warranty status: none, active, expiring (30 days or fewer left) or expired.';
comment on column report.v1_warranty_cover.currency is 'ISO 4217 code of the amounts.';
comment on column report.v1_warranty_cover.items is 'Number of items with the warranty status.';
comment on column report.v1_warranty_cover.value is 'Sum of the known purchase prices.';
comment on column report.v1_warranty_cover.next_expiry is
  'Earliest last day of warranty among the items; null without warranty.';
comment on column report.v1_warranty_cover.zone_unknown is
  'True if the company''s time zone is unknown to PostgreSQL: days are those of UTC.';
