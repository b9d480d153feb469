-- Meals of a person, and the presets for logging them.

create table macros.preset (
  like core.record_base including defaults including comments,
  name      text not null check (btrim(name) <> ''),
  protein_g numeric(6,1) not null default 0 check (protein_g between 0 and 2000),
  carbs_g   numeric(6,1) not null default 0 check (carbs_g between 0 and 2000),
  fat_g     numeric(6,1) not null default 0 check (fat_g between 0 and 2000),
  position  integer not null default 0,
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  constraint preset_owned check (created_by is not null)
);

create unique index preset_of_person on macros.preset (company_id, created_by, id);

comment on table  macros.preset is 'Meals that are logged often.';
comment on column macros.preset.name is 'Name of the preset.';
comment on column macros.preset.protein_g is 'Protein in grams.';
comment on column macros.preset.carbs_g is 'Carbohydrates in grams.';
comment on column macros.preset.fat_g is 'Fat in grams.';
comment on column macros.preset.position is 'Position in the person''s list.';

create table macros.entry (
  like core.record_base including defaults including comments,
  protein_g  numeric(6,1) not null default 0 check (protein_g between 0 and 2000),
  carbs_g    numeric(6,1) not null default 0 check (carbs_g between 0 and 2000),
  fat_g      numeric(6,1) not null default 0 check (fat_g between 0 and 2000),
  kcal       numeric(8,1) not null generated always as (4 * protein_g + 4 * carbs_g + 9 * fat_g) stored,
  eaten_at   timestamptz not null,
  local_date date not null,
  preset_id  uuid,
  note       text,
  primary key (company_id, id),
  foreign key (company_id, created_by)
    references core.membership (company_id, user_id),  -- keep
  foreign key (company_id, created_by, preset_id)
    references macros.preset (company_id, created_by, id),  -- keep
  constraint entry_owned check (created_by is not null),
  constraint entry_not_empty check (protein_g + carbs_g + fat_g > 0),
  constraint entry_date_near_instant check (abs((eaten_at at time zone 'UTC')::date - local_date) <= 1)
);

create index on macros.entry (company_id, created_by, local_date);
create index on macros.entry (company_id, created_by, preset_id) where preset_id is not null;

comment on table  macros.entry is 'Meals that a person logged, in grams with one decimal.';
comment on column macros.entry.protein_g is 'Protein in grams.';
comment on column macros.entry.carbs_g is 'Carbohydrates in grams.';
comment on column macros.entry.fat_g is 'Fat in grams.';
comment on column macros.entry.kcal is 'Energy in kcal: 4 per gram of protein and carbohydrates, 9 per gram of fat.';
comment on column macros.entry.eaten_at is 'Time of the meal.';
comment on column macros.entry.local_date is
  'Day that the meal counts towards; from the device, or computed once at creation. Within one day of eaten_at.';
comment on column macros.entry.preset_id is 'Preset that the entry was logged from; null if none.';
comment on column macros.entry.note is 'Note of the person; null if none.';
