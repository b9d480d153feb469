-- Warranty claims.

create table inventory.claim (
  like core.record_base including defaults including comments,
  item_id          uuid not null,
  issue            text not null check (btrim(issue) <> ''),
  contact          text,
  reference        text,
  requested_remedy text check (requested_remedy in ('repair', 'replace', 'refund')),
  status           text not null,
  status_category  text not null check (status_category in ('open', 'active', 'done')),
  submitted_at     timestamptz,
  decided_at       timestamptz,
  decision_note    text,
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, item_id) references inventory.item (company_id, id)            -- restrict
);

create index on inventory.claim (company_id, item_id);
create index on inventory.claim (company_id, status_category, created_at desc);
create index on inventory.claim (company_id, created_by);

comment on table  inventory.claim is 'A warranty claim on an item, from draft to decision.';
comment on column inventory.claim.item_id is 'The item it is about.';
comment on column inventory.claim.issue is 'What is wrong with it.';
comment on column inventory.claim.contact is 'Whom the vendor may ask.';
comment on column inventory.claim.reference is 'The vendor''s case number.';
comment on column inventory.claim.requested_remedy is 'What is asked for: repair, replace or refund.';
comment on column inventory.claim.status is 'How far it has come; moved by transition only.';
comment on column inventory.claim.status_category is 'Category of the status: open, active or done.';
comment on column inventory.claim.submitted_at is 'When it was last submitted.';
comment on column inventory.claim.decided_at is 'When the vendor decided.';
comment on column inventory.claim.decision_note is 'What the vendor said.';
