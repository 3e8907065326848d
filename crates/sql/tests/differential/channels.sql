-- What a session listens to, and one that interrupts itself.

select * from pg_listening_channels();
listen second;
listen "First";
listen second;
select pg_listening_channels();
select array_agg(c) from pg_listening_channels() as c;
begin;
listen third;
unlisten second;
select array_agg(c) from pg_listening_channels() as c;
rollback;
select array_agg(c) from pg_listening_channels() as c;
unlisten second;
select array_agg(c) from pg_listening_channels() as c;
unlisten *;
select count(*) from pg_listening_channels();
select pg_notification_queue_usage();
select pg_cancel_backend(pg_backend_pid());
