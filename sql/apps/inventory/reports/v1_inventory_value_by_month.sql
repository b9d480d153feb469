-- Purchases per month and their running total, by currency.
-- columns: company_id uuid, company text, month date, currency text, items bigint, value numeric,
--   value_to_date numeric
create view report.v1_inventory_value_by_month with (security_invoker = true, security_barrier = true) as
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

comment on column report.v1_inventory_value_by_month.company_id is 'The company.';
comment on column report.v1_inventory_value_by_month.company is 'Short name of the company.';
comment on column report.v1_inventory_value_by_month.month is 'First day of the month of purchase.';
comment on column report.v1_inventory_value_by_month.currency is 'ISO 4217 code of the amounts.';
comment on column report.v1_inventory_value_by_month.items is 'Number of items bought in the month.';
comment on column report.v1_inventory_value_by_month.value is 'Sum of the known purchase prices in the month.';
comment on column report.v1_inventory_value_by_month.value_to_date is
  'Sum of the known purchase prices up to the end of the month.';
