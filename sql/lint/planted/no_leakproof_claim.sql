-- A function that is run before the policy, on rows of others.
alter function core.current_company() leakproof;
