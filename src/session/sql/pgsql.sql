-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- What PostgreSQL is asked beside the load.

-- What sessions wait for, see server_waits.c.  OFFSET 0: the function is called for sessions that
-- wait for a lock, and for no other.  The server's own processes that wait for work have nothing
-- to do, and none of them has a client; 9.6 has no word for what they are.  A role that may not see
-- what a worker of a parallel query does may see that it is in a database, and of no user.
-- name: waits_pgsql
SELECT pid, pid, wait_event_type, wait_event,
    CASE WHEN wait_event_type = 'Lock' AND wait_event <> 'extend' THEN
        pg_blocking_pids(pid)::text END,
    CASE WHEN client_port IS NULL THEN coalesce(to_jsonb(s)->>'backend_type',
        CASE WHEN datid IS NOT NULL AND query NOT LIKE 'autovacuum: %'
            THEN 'parallel worker' END) END
FROM (SELECT a.* FROM pg_stat_get_activity(NULL) a
    WHERE pid <> pg_backend_pid() AND (state IN ('active', 'fastpath function call')
        OR wait_event_type = 'Lock' OR (usesysid IS NULL AND datid IS NOT NULL)
        OR (state IS NULL AND wait_event_type NOT IN ('Activity', 'Timeout', 'Client')))
    OFFSET 0) s

-- "type/event".  To extend a table is to write its file; the others wait for that.
-- word: row    Lock/transactionid$ -> row lock
-- word: row    Lock/tuple$ -> row lock
-- word: io     Lock/extend$
-- word: lock   Lock/
-- word: log    LWLock/WAL
-- word: log    LWLock/SyncRep
-- word: io     LWLock/BufferIO
-- word: io     LWLock/buffer_io
-- word: latch  LWLock/
-- word: latch  BufferPin/
-- word: log    IO/WAL
-- word: io     IO/
-- word: log    IPC/SyncRep$
-- word: io     IPC/BufferIO$
-- word: latch  IPC/ProcArrayGroupUpdate$
-- word: latch  IPC/XactGroupUpdate$
-- word: latch  Timeout/SpinDelay$
-- word: client Client/

-- Who a blocker is.
-- name: who_pgsql
SELECT concat_ws(', ', left(coalesce(nullif(application_name, ''), usename, backend_type), 32),
    state || coalesce(
        ' for ' || floor(extract(epoch FROM clock_timestamp() - state_change)) || ' s', ''))
FROM pg_stat_activity WHERE pid = %lld

-- Figures of --server-status.
-- name: active
(SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND datname = current_database())

-- name: up
extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())

-- Presets.
-- preset: io_reads
-- without: PostgreSQL 16 and newer have it
SELECT sum(reads) FROM pg_stat_io

-- preset: io_writes
-- without: PostgreSQL 16 and newer have it
SELECT sum(writes) FROM pg_stat_io

-- preset: io_fsyncs
-- without: PostgreSQL 16 and newer have it
SELECT sum(fsyncs) FROM pg_stat_io

-- preset: io_evictions
-- without: PostgreSQL 16 and newer have it
SELECT sum(evictions) FROM pg_stat_io

-- preset: wal_bytes
SELECT wal_bytes FROM pg_stat_wal

-- preset: wal_position:gauge
SELECT pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
    ELSE pg_current_wal_lsn() END, '0/0')

-- preset: checkpoint_age:gauge
SELECT pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
    ELSE pg_current_wal_lsn() END, redo_lsn) FROM pg_control_checkpoint()

-- preset: checkpoints
SELECT num_timed + num_requested FROM pg_stat_checkpointer
-- or
SELECT checkpoints_timed + checkpoints_req FROM pg_stat_bgwriter

-- preset: checkpoint_buffers
SELECT buffers_written FROM pg_stat_checkpointer
-- or
SELECT buffers_checkpoint FROM pg_stat_bgwriter

-- preset: replication_lag_bytes:gauge
-- without: it takes a standby that replays, and pg_monitor to see it
SELECT CASE WHEN pg_is_in_recovery()
    THEN pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())
    ELSE (SELECT max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))
        FROM pg_stat_replication) END

-- preset: replication_lag_s:gauge
-- without: it takes a standby that replays, and pg_monitor to see it
SELECT CASE WHEN pg_is_in_recovery()
    THEN CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0 ELSE
        extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) END
    ELSE (SELECT max(extract(epoch FROM replay_lag)) FROM pg_stat_replication) END

-- Sessions of others, see other_sessions.c.  Of these, a role may see little more than that they
-- are there.  A new one takes less than a second to log in.
-- name: others_pgsql
SELECT pg_backend_pid(), 0, CASE WHEN count(*) FILTER (WHERE backend_type IS NULL
        OR state = 'disabled') = 0 THEN 1 ELSE 0 END, 0, count(*),
    count(*) FILTER (WHERE state IN ('active', 'fastpath function call') OR
        state_change > greatest(clock_timestamp() - %.3f * interval '1 s',
            backend_start + interval '1 s'))
FROM pg_stat_activity WHERE pid <> ALL('{%s}'::bigint[]) AND usesysid IS NOT NULL
    AND datid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend'

-- What statements took, see server_statements.c: the name of the extension's view and, if its
-- version has one, of that of resets.
-- name: statements_names
SELECT format('%I.pg_stat_statements', nspname),
    coalesce((SELECT format('(SELECT stats_reset || '' '' || dealloc FROM %I.%I)', nspname, relname)
        FROM pg_class WHERE relnamespace = n.oid AND relname = 'pg_stat_statements_info'), '''''')
FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
WHERE extname = 'pg_stat_statements'

-- Columns that this version lacks are those of `d`.  What functions execute is part of the
-- statement that called them.
-- name: statements_pgsql
SELECT coalesce(queryid::text, 'others') || ' ' || %.*s, (queryid IS NULL)::int, CASE
    WHEN queryid IS NULL THEN '(those of other roles; GRANT pg_read_all_stats tells them apart)'
    WHEN bool_or(query ~ 'pg_stat_|pg_extension|pg_backend_pid|statement_timeout|sysbench_asks')
        THEN NULL
    ELSE left(regexp_replace(max(query), '[[:space:]]+', ' ', 'g'), 300) END,
    sum(calls)::float8, sum(ms) / 1e3, sum(rows)::float8, NULL, NULL, NULL, NULL,
    sum(shared_blks_hit)::float8, sum(shared_blks_read)::float8, sum(temp_blks_written)::float8,
    sum(wal)::float8
FROM (SELECT NULL::float8 AS total_exec_time, NULL::float8 AS total_time,
    NULL::numeric AS wal_bytes, true AS toplevel) d,
    LATERAL (SELECT s.*, coalesce(total_exec_time, total_time) AS ms, wal_bytes AS wal
        FROM %.*s(%s) s WHERE toplevel
            AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())) t
GROUP BY queryid

-- Before a question of --server-query, so that it is told apart there.
-- name: mark_pgsql
WITH sysbench_asks AS (SELECT 1)

-- How long a question of --server-query may take.
-- name: limit_pgsql
SET statement_timeout = 50

-- name: unlimit_pgsql
RESET statement_timeout

-- Steps of --settle.
-- name: settle_limit_pgsql
SET statement_timeout = '%1$lds'

-- Tables of this role with rows that are dead, changed or new since.
-- name: settle_tables
SELECT count(*), string_agg(format('%I.%I', n.nspname, c.relname), ', ') FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_stat_all_tables s ON s.relid = c.oid
WHERE c.relkind IN ('r', 'm') AND c.relpersistence <> 't' AND n.nspname !~ '^pg_'
    AND n.nspname <> 'information_schema' AND has_schema_privilege(n.oid, 'USAGE')
    AND (pg_has_role(c.relowner, 'USAGE') OR pg_has_role(
        (SELECT datdba FROM pg_database WHERE datname = current_database()), 'USAGE'))
    AND s.n_dead_tup + s.n_mod_since_analyze
        + coalesce((to_jsonb(s)->>'n_ins_since_vacuum')::bigint, 0) > 0

-- Who may not see what others do sees at least that these are of no user.
-- name: settle_workers
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usesysid IS NULL

-- name: settle_checkpointer
SELECT CASE WHEN bool_or(backend_type = 'checkpointer')
    THEN count(*) FILTER (WHERE backend_type = 'checkpointer'
        AND wait_event IS DISTINCT FROM 'CheckpointerMain') END
FROM pg_stat_activity
