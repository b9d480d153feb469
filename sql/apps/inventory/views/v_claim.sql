-- Claims, with a flag for items that are still in warranty.
create view inventory.v_claim with (security_invoker = true) as
select
  l.company_id, l.id, l.version,
  l.created_by, l.created_at, l.updated_by, l.updated_at, l.client_created_at,
  l.item_id, l.issue, l.contact, l.reference, l.requested_remedy,
  l.status, l.status_category,
  l.submitted_at, l.decided_at, l.decision_note,
  i.name as item_name,
  coalesce(i.warranty_expires_on >= (now() at time zone core.known_zone(c.timezone))::date, false) as in_warranty
from inventory.claim l
join core.company c on c.id = l.company_id
join inventory.item i on i.company_id = l.company_id and i.id = l.item_id
where l.deleted_at is null;

comment on column inventory.v_claim.item_name is 'Name of the item.';
comment on column inventory.v_claim.in_warranty is
  'True if the item is under warranty today, in the company''s time zone.';
