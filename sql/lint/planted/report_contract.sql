-- A report view that is not declared.
create view report.v1_planted with (security_invoker = true) as
select c.slug as company from core.company c;
