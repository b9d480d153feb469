-- Fruit trees and their harvests.

create schema orchard;

comment on schema orchard is 'Schema of the orchard app: fruit trees and their harvests.';

create table orchard.tree (
  like core.record_base including defaults including comments,
  code            text not null check (btrim(code) <> ''),
  code_key        text not null generated always as (lower(btrim(code))) stored,
  variety         text not null check (btrim(variety) <> ''),
  planted_on      date,
  status          text not null,
  status_category text not null check (status_category in ('open', 'active', 'done')),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id)
);

create unique index tree_code on orchard.tree (company_id, code_key) where deleted_at is null;
create index on orchard.tree (company_id, created_by);

comment on table  orchard.tree is 'A fruit tree.';
comment on column orchard.tree.code is 'Code on the label of the tree; unique per company, ignoring case.';
comment on column orchard.tree.code_key is 'Normalized code for comparison: trimmed, in lower case.';
comment on column orchard.tree.variety is 'Variety of the tree, such as Ingrid Marie.';
comment on column orchard.tree.planted_on is 'Date of planting; null if unknown.';
comment on column orchard.tree.status is 'Status: growing, bearing or felled; changed by transitions only.';
comment on column orchard.tree.status_category is 'Category of the status: open, active or done.';

create table orchard.harvest (
  like core.record_base including defaults including comments,
  number     text,
  number_seq bigint,
  tree_id    uuid not null,
  picked_on  date not null,
  kilograms  numeric(8,2) not null check (kilograms > 0 and kilograms < 'NaN'),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),
  foreign key (company_id, tree_id) references orchard.tree (company_id, id)
);

create unique index harvest_number on orchard.harvest (company_id, number_seq);
create index on orchard.harvest (company_id, tree_id);
create index on orchard.harvest (company_id, created_by);

comment on table  orchard.harvest is 'Harvests, each of one tree on one day.';
comment on column orchard.harvest.number is 'Number of the harvest, such as H-7; unique per company, null if none.';
comment on column orchard.harvest.number_seq is 'Counter in the number, used for sorting; null if none.';
comment on column orchard.harvest.tree_id is 'The tree.';
comment on column orchard.harvest.picked_on is 'Date of the harvest.';
comment on column orchard.harvest.kilograms is 'Weight in kilograms.';
