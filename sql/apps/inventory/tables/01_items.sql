-- Items of a household with their warranties, and saved filters of items.

create schema inventory;

comment on schema inventory is 'Schema of the inventory app: items of a household and warranty claims.';

create table inventory.item (
  like core.record_base including defaults including comments,
  name                text not null check (btrim(name) <> ''),
  category            text not null check (btrim(category) <> ''),
  category_key        text not null generated always as (lower(btrim(category))) stored,
  purchase_date       date not null,
  warranty_months     integer not null default 0 check (warranty_months between 0 and 1200),
  warranty_until      date,
  warranty_expires_on date generated always as (
                        case when warranty_until is not null then warranty_until
                             when warranty_months > 0
                             then (purchase_date + make_interval(months => warranty_months))::date
                        end
                      ) stored,
  purchase_price      numeric(12,2) check (purchase_price >= 0 and purchase_price < 'NaN'),
  currency            text not null default 'USD' check (currency ~ '^[A-Z]{3}$'),
  tags                text[] not null default '{}' check (array_position(tags, null) is null),
  location            text,
  is_favorite         boolean not null default false,
  serial_no           text,
  vendor              text,
  receipt_id          uuid,
  receipt_text        text,
  primary key (company_id, id),
  constraint item_warranty_after_purchase check (warranty_until >= purchase_date),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, receipt_id) references core.attachment (company_id, id)        -- restrict
);

create index on inventory.item (company_id, purchase_date desc, id);
create index on inventory.item (company_id, category_key);
create index on inventory.item (company_id, warranty_expires_on) where deleted_at is null;
create index on inventory.item (company_id, receipt_id) where receipt_id is not null;
create index on inventory.item (company_id, created_by);

comment on table  inventory.item is 'Items that the household owns.';
comment on column inventory.item.name is 'Name of the item.';
comment on column inventory.item.category is 'Category of the item, in the household''s own words.';
comment on column inventory.item.category_key is 'Normalized category for comparison: trimmed, in lower case.';
comment on column inventory.item.purchase_date is 'Date of purchase, on which the warranty starts.';
comment on column inventory.item.warranty_months is 'Duration of the warranty in months; 0 for no warranty.';
comment on column inventory.item.warranty_until is
  'Last day of the warranty as the seller states it, which counts instead of the months; null if the months count.';
comment on column inventory.item.warranty_expires_on is
  'Last day of the warranty, clamped to the end of a shorter month; null for no warranty.';
comment on column inventory.item.purchase_price is 'Purchase price in the item''s currency; null if unknown.';
comment on column inventory.item.currency is 'ISO 4217 code of the purchase price''s currency.';
comment on column inventory.item.tags is 'Search tags.';
comment on column inventory.item.location is 'Place where the item is kept; null if unknown.';
comment on column inventory.item.is_favorite is 'True if a member marked the item as a favorite.';
comment on column inventory.item.serial_no is 'Serial number; null if unknown.';
comment on column inventory.item.vendor is 'Name of the seller; null if unknown.';
comment on column inventory.item.receipt_id is
  'Attachment that is shown as the receipt; null if none. An item may have more attachments.';
comment on column inventory.item.receipt_text is 'Text that the device recognised on the receipt; null if none.';

create table inventory.saved_collection (
  like core.record_base including defaults including comments,
  name     text not null check (btrim(name) <> ''),
  name_key text not null generated always as (lower(btrim(name))) stored,
  filter   jsonb not null check (jsonb_typeof(filter) = 'object'),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id)  -- keep
);

create unique index saved_collection_name on inventory.saved_collection (company_id, name_key)
  where deleted_at is null;
create index on inventory.saved_collection (company_id, created_by);

comment on table  inventory.saved_collection is 'Named filters over items, shared by the household.';
comment on column inventory.saved_collection.name is 'Name of the collection.';
comment on column inventory.saved_collection.name_key is 'Normalized name for comparison: trimmed, in lower case.';
comment on column inventory.saved_collection.filter is
  'Column names of v_item with the values to match, as in a list request.';
