-- A function marked leakproof: PostgreSQL may run it before the policy, on rows of other companies.
alter function core.current_company() leakproof;
