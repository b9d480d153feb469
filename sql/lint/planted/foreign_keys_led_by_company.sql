-- A foreign key by id alone: it may refer to a row of another company, since its check bypasses the policies.
create unique index planted_id on core.attachment (id);

create table core.planted (
  company_id uuid not null,
  id uuid not null,
  attachment_id uuid references core.attachment (id)
);
