-- Purchase value of items per category and currency.
-- columns: company_id uuid, company text, category text, currency text, items bigint, priced_items bigint,
--   value numeric
create view report.v1_inventory_value_by_category with (security_invoker = true, security_barrier = true) as
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

comment on column report.v1_inventory_value_by_category.company_id is 'The company.';
comment on column report.v1_inventory_value_by_category.company is 'Short name of the company.';
comment on column report.v1_inventory_value_by_category.category is 'Category of the items, trimmed and in lower case.';
comment on column report.v1_inventory_value_by_category.currency is 'ISO 4217 code of the amounts.';
comment on column report.v1_inventory_value_by_category.items is 'Number of items in the category.';
comment on column report.v1_inventory_value_by_category.priced_items is
  'Number of items with a known purchase price.';
comment on column report.v1_inventory_value_by_category.value is 'Sum of the known purchase prices.';
