-- Items with their warranty as of today in the company's time zone.
create view inventory.v_item with (security_invoker = true) as
select
  i.company_id, i.id, i.version,
  i.created_by, i.created_at, i.updated_by, i.updated_at, i.client_created_at,
  i.name, i.category, i.category_key,
  i.purchase_date, i.warranty_months, i.warranty_until, i.warranty_expires_on,
  i.purchase_price, i.currency,
  i.tags, i.location, i.is_favorite,
  i.serial_no, i.vendor,
  i.receipt_id, i.receipt_text,
  i.receipt_id is not null as has_receipt,
  coalesce(i.purchase_price >= 500, false) as is_high_value,
  i.warranty_expires_on - t.today as days_remaining,
  case
    when i.warranty_expires_on is null then 'none'
    when i.warranty_expires_on < t.today then 'expired'
    when i.warranty_expires_on - t.today <= 30 then 'expiring'
    else 'active'
  end as warranty_status
from inventory.item i
join core.company c on c.id = i.company_id
cross join lateral (select (now() at time zone core.known_zone(c.timezone))::date as today) t
where i.deleted_at is null;

comment on column inventory.v_item.has_receipt is 'True if a receipt is attached.';
comment on column inventory.v_item.is_high_value is 'True if the purchase price is at least 500, in any currency.';
comment on column inventory.v_item.days_remaining is
  'Days until the last day of the warranty; negative after it, null without a warranty.';
comment on column inventory.v_item.warranty_status is
  'Warranty status: none, active, expiring (30 days or fewer left) or expired.';
