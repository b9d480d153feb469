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

comment on table  inventory.claim is 'Warranty claims on items, from draft to decision.';
comment on column inventory.claim.item_id is 'Item that the claim is about.';
comment on column inventory.claim.issue is 'Description of the defect.';
comment on column inventory.claim.contact is 'Contact for the vendor''s questions; null if not given.';
comment on column inventory.claim.reference is 'Case number of the vendor; null if none.';
comment on column inventory.claim.requested_remedy is 'Requested remedy: repair, replace or refund; null if not given.';
comment on column inventory.claim.status is
  'Status: draft, submitted, approved, rejected or closed; changed by transitions only.';
comment on column inventory.claim.status_category is 'Category of the status: open, active or done.';
comment on column inventory.claim.submitted_at is 'Time of the last submission; null before the first.';
comment on column inventory.claim.decided_at is 'Time at which the decision was recorded; null if undecided.';
comment on column inventory.claim.decision_note is 'Note on the vendor''s decision; null if none.';
