-- A column without a comment.
alter table core.worker add column planted text;
