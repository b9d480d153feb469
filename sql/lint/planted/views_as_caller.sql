-- A view that runs as its owner.
create view core.planted as
select company_id, user_id from core.membership;
