-- A function that runs before the policy, on rows of other companies.
alter function core.current_company() leakproof;
