-- Purchase value of items per location and currency.
-- columns: company_id uuid, company text, location text, currency text, items bigint, priced_items bigint,
--   value numeric
create view report.v1_inventory_value_by_location with (security_invoker = true, security_barrier = true) as
select
  i.company_id,
  c.slug as company,
  i.location,
  i.currency,
  count(*) as items,
  count(i.purchase_price) as priced_items,
  coalesce(sum(i.purchase_price), 0) as value
from inventory.item i
join core.company c on c.id = i.company_id
where i.deleted_at is null
group by i.company_id, c.slug, i.location, i.currency;

comment on column report.v1_inventory_value_by_location.company_id is 'The company.';
comment on column report.v1_inventory_value_by_location.company is 'Short name of the company.';
comment on column report.v1_inventory_value_by_location.location is 'Location of the items; null if unknown.';
comment on column report.v1_inventory_value_by_location.currency is 'ISO 4217 code of the amounts.';
comment on column report.v1_inventory_value_by_location.items is 'Number of items at the location.';
comment on column report.v1_inventory_value_by_location.priced_items is
  'Number of items with a known purchase price.';
comment on column report.v1_inventory_value_by_location.value is 'Sum of the known purchase prices.';
