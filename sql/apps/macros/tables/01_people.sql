-- Settings and goals of a person. Each record of this app is private to its owner: the installer adds a
-- policy that hides the row from all others, including administrators.

create schema macros;

comment on schema macros is 'Schema of the macros app: protein, carbohydrates and fat in meals.';

create table macros.profile (
  like core.record_base including defaults including comments,
  display_name  text check (btrim(display_name) <> ''),
  timezone      text not null default 'UTC' check (timezone <> ''),
  day_starts_at time(0) not null default '00:00',
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  constraint profile_owned check (created_by is not null)
);

create unique index profile_of_person on macros.profile (company_id, created_by) where deleted_at is null;
create index on macros.profile (company_id, created_by);

comment on table  macros.profile is 'Settings of a person; one row per person and company.';
comment on column macros.profile.display_name is 'Name of the person in the app; null if not set.';
comment on column macros.profile.timezone is 'Time zone of the person, which decides the day of a meal.';
comment on column macros.profile.day_starts_at is
  'Start of the person''s day; earlier meals count towards the day before.';

create table macros.goal (
  like core.record_base including defaults including comments,
  day_type       text not null default 'default'
                 check (day_type in ('default', 'high_carb', 'low_carb', 'rest')),
  protein_g      numeric(6,1) not null check (protein_g between 0 and 2000),
  carbs_g        numeric(6,1) not null check (carbs_g between 0 and 2000),
  fat_g          numeric(6,1) not null check (fat_g between 0 and 2000),
  kcal           numeric(8,1) not null generated always as (4 * protein_g + 4 * carbs_g + 9 * fat_g) stored,
  effective_from date not null,
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  constraint goal_owned check (created_by is not null)
);

create unique index goal_natural on macros.goal (company_id, created_by, day_type, effective_from)
  where deleted_at is null;
create index on macros.goal (company_id, created_by);

comment on table  macros.goal is 'Daily goals of a person by day type, each valid from a date.';
comment on column macros.goal.day_type is 'Day type that the goal applies to: default, high_carb, low_carb or rest.';
comment on column macros.goal.protein_g is 'Protein per day in grams.';
comment on column macros.goal.carbs_g is 'Carbohydrates per day in grams.';
comment on column macros.goal.fat_g is 'Fat per day in grams.';
comment on column macros.goal.kcal is
  'Energy per day in kcal: 4 per gram of protein and carbohydrates, 9 per gram of fat.';
comment on column macros.goal.effective_from is
  'First day on which the goal applies, until a later goal of the day type starts.';

create table macros.carb_cycle (
  like core.record_base including defaults including comments,
  weekday  smallint not null check (weekday between 1 and 7),
  day_type text not null check (day_type in ('default', 'high_carb', 'low_carb', 'rest')),
  primary key (company_id, id),
  foreign key (company_id, created_by) references core.membership (company_id, user_id),  -- keep
  constraint carb_cycle_owned check (created_by is not null)
);

create unique index carb_cycle_natural on macros.carb_cycle (company_id, created_by, weekday)
  where deleted_at is null;
create index on macros.carb_cycle (company_id, created_by);

comment on table  macros.carb_cycle is 'Day types of weekdays.';
comment on column macros.carb_cycle.weekday is 'ISO day of the week: 1 Monday to 7 Sunday.';
comment on column macros.carb_cycle.day_type is 'Day type of the weekday: default, high_carb, low_carb or rest.';
