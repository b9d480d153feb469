-- A copy of all companies' rows without a policy.
create materialized view core.planted as
select company_id, user_id from core.membership;
