-- A copy of every company's rows that no policy protects.
create materialized view core.planted as
select company_id, user_id from core.membership;
