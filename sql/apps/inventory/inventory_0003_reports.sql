-- The operators' contract for items: what is owned, what it cost, what is still covered. A view never changes
-- its columns; a new shape is a new version beside it. Amounts of different currencies are never added up.

create view report.v1_inventory_value_by_category with (security_invoker = true) as
select
  i.company_id,
  c.slug as company,
  i.category_key as category,
  i.currency,
  count(*) as items,
  count(i.purchase_price) as priced_items,
  coalesce(sum(i.purchase_price), 0) as value
from inventory.item i
join core.company c on c.id = i.company_id
where i.deleted_at is null
group by i.company_id, c.slug, i.category_key, i.currency;

comment on view report.v1_inventory_value_by_category is
  'What items of each category cost, by currency.';
comment on column report.v1_inventory_value_by_category.company_id is 'The company.';
comment on column report.v1_inventory_value_by_category.company is 'Short name of the company.';
comment on column report.v1_inventory_value_by_category.category is 'The category, in lower case.';
comment on column report.v1_inventory_value_by_category.currency is 'ISO 4217 code of the amounts.';
comment on column report.v1_inventory_value_by_category.items is 'Number of items.';
comment on column report.v1_inventory_value_by_category.priced_items is
  'Number of those whose price is known.';
comment on column report.v1_inventory_value_by_category.value is 'Sum of their purchase prices.';

create view report.v1_inventory_value_by_location with (security_invoker = true) as
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

comment on view report.v1_inventory_value_by_location is
  'What items at each location cost, by currency.';
comment on column report.v1_inventory_value_by_location.company_id is 'The company.';
comment on column report.v1_inventory_value_by_location.company is 'Short name of the company.';
comment on column report.v1_inventory_value_by_location.location is 'Where they are kept; null: not said.';
comment on column report.v1_inventory_value_by_location.currency is 'ISO 4217 code of the amounts.';
comment on column report.v1_inventory_value_by_location.items is 'Number of items.';
comment on column report.v1_inventory_value_by_location.priced_items is
  'Number of those whose price is known.';
comment on column report.v1_inventory_value_by_location.value is 'Sum of their purchase prices.';

create view report.v1_inventory_value_by_month with (security_invoker = true) as
select
  m.company_id,
  c.slug as company,
  m.month,
  m.currency,
  m.items,
  m.value,
  sum(m.value) over (partition by m.company_id, m.currency order by m.month) as value_to_date
from (
  select
    i.company_id,
    date_trunc('month', i.purchase_date::timestamp)::date as month,
    i.currency,
    count(*) as items,
    coalesce(sum(i.purchase_price), 0) as value
  from inventory.item i
  where i.deleted_at is null
  group by i.company_id, date_trunc('month', i.purchase_date::timestamp), i.currency
) m
join core.company c on c.id = m.company_id;

comment on view report.v1_inventory_value_by_month is
  'What was bought each month, and all that was bought until then, by currency.';
comment on column report.v1_inventory_value_by_month.company_id is 'The company.';
comment on column report.v1_inventory_value_by_month.company is 'Short name of the company.';
comment on column report.v1_inventory_value_by_month.month is 'First day of the month of purchase.';
comment on column report.v1_inventory_value_by_month.currency is 'ISO 4217 code of the amounts.';
comment on column report.v1_inventory_value_by_month.items is 'Number of items bought in it.';
comment on column report.v1_inventory_value_by_month.value is 'Sum of their purchase prices.';
comment on column report.v1_inventory_value_by_month.value_to_date is
  'Sum of the purchase prices of all items bought until its end.';

create view report.v1_warranty_cover with (security_invoker = true) as
select
  s.company_id,
  c.slug as company,
  s.warranty,
  s.currency,
  count(*) as items,
  coalesce(sum(s.purchase_price), 0) as value,
  min(s.warranty_expires_on) as next_expiry
from (
  select
    i.company_id,
    i.currency,
    i.purchase_price,
    i.warranty_expires_on,
    case
      when i.warranty_expires_on is null then 'none'
      when i.warranty_expires_on < t.today then 'expired'
      when i.warranty_expires_on - t.today <= 30 then 'expiring'
      else 'active'
    end as warranty
  from inventory.item i
  join core.company z on z.id = i.company_id
  cross join lateral (select (now() at time zone z.timezone)::date as today) t
  where i.deleted_at is null
) s
join core.company c on c.id = s.company_id
group by s.company_id, c.slug, s.warranty, s.currency;

comment on view report.v1_warranty_cover is
  'How much of what is owned is in warranty today, where the company is.';
comment on column report.v1_warranty_cover.company_id is 'The company.';
comment on column report.v1_warranty_cover.company is 'Short name of the company.';
comment on column report.v1_warranty_cover.warranty is
  'none, active, expiring (30 days or fewer are left) or expired.';
comment on column report.v1_warranty_cover.currency is 'ISO 4217 code of the amounts.';
comment on column report.v1_warranty_cover.items is 'Number of items.';
comment on column report.v1_warranty_cover.value is 'Sum of their purchase prices.';
comment on column report.v1_warranty_cover.next_expiry is 'The earliest last day among them.';
