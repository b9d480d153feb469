-- A queue table without the check: a row of one company could be put into the lane of another.
alter table core.job_queued drop constraint job_queued_lane_of_company;
