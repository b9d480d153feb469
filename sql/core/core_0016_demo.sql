-- Demo companies are moved to the day that has begun. Every company gets the job, which looks whether it is one.
insert into core.app_schedule (name, app, kind, cron)
values ('demo.refresh', 'core', 'demo.refresh', '5 0 * * *');
