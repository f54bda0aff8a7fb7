-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- What MariaDB and MySQL are asked beside the load.  MariaDB reads the first comment of
-- "/*M!100000 x */ /*!50700 y */" and not the second, and MySQL the other way round.

-- What sessions wait for, see server_waits.c: MariaDB, and MySQL 5.7.
-- name: waits_processlist
STATE, NULL, NULL FROM information_schema.PROCESSLIST
WHERE ID <> CONNECTION_ID() AND COMMAND NOT IN ('Sleep', 'Daemon', 'Connect', 'Binlog Dump',
    'Binlog Dump GTID', 'Slave_IO', 'Slave_SQL', 'Slave_worker')
UNION ALL SELECT r.trx_mysql_thread_id, NULL, IF(l.lock_type = 'TABLE', 1, NULL), NULL,
    b.trx_mysql_thread_id
FROM information_schema.INNODB_LOCK_WAITS w
JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id
JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id
LEFT JOIN information_schema.INNODB_LOCKS l ON l.lock_id = w.requested_lock_id

-- From MySQL 8 on.
-- name: waits_performance
SELECT t.PROCESSLIST_ID, t.THREAD_OS_ID, t.PROCESSLIST_STATE, w.EVENT_NAME, NULL
FROM performance_schema.threads t LEFT JOIN performance_schema.events_waits_current w
    ON w.THREAD_ID = t.THREAD_ID AND w.END_EVENT_ID IS NULL
WHERE t.PROCESSLIST_ID <> CONNECTION_ID() AND t.PROCESSLIST_COMMAND NOT IN
    ('Sleep', 'Daemon', 'Connect', 'Binlog Dump', 'Binlog Dump GTID')
-- A lock may have the thread of the first that waits for it; who holds it costs more to find out.
UNION ALL SELECT r.PROCESSLIST_ID, NULL, IF(l.LOCK_TYPE = 'TABLE', 1, NULL), NULL,
    IF(b.PROCESSLIST_ID AND b.THREAD_ID <> r.THREAD_ID, b.PROCESSLIST_ID,
        IFNULL((SELECT trx_mysql_thread_id FROM information_schema.INNODB_TRX
            WHERE trx_id = w.BLOCKING_ENGINE_TRANSACTION_ID), r.PROCESSLIST_ID))
FROM performance_schema.data_lock_waits w
JOIN performance_schema.threads r ON r.THREAD_ID = w.REQUESTING_THREAD_ID
LEFT JOIN performance_schema.threads b ON b.THREAD_ID = w.BLOCKING_THREAD_ID
LEFT JOIN performance_schema.data_locks l ON l.ENGINE_LOCK_ID = w.REQUESTING_ENGINE_LOCK_ID
    AND l.ENGINE = w.ENGINE
-- Of metadata locks one of the two is strong; a weak one waits behind a strong one that waits.
UNION ALL SELECT r.PROCESSLIST_ID, NULL, 2, NULL, b.PROCESSLIST_ID
FROM performance_schema.metadata_locks s STRAIGHT_JOIN performance_schema.metadata_locks o
    ON o.OBJECT_TYPE = s.OBJECT_TYPE AND o.OBJECT_SCHEMA <=> s.OBJECT_SCHEMA
    AND o.OBJECT_NAME <=> s.OBJECT_NAME AND o.OWNER_THREAD_ID <> s.OWNER_THREAD_ID
JOIN performance_schema.threads r
    ON r.THREAD_ID = IF(o.LOCK_STATUS = 'PENDING', o.OWNER_THREAD_ID, s.OWNER_THREAD_ID)
JOIN performance_schema.threads b
    ON b.THREAD_ID = IF(o.LOCK_STATUS = 'PENDING', s.OWNER_THREAD_ID, o.OWNER_THREAD_ID)
WHERE (s.LOCK_TYPE IN ('EXCLUSIVE', 'SHARED_NO_READ_WRITE', 'SHARED_NO_WRITE', 'SHARED_READ_ONLY')
        OR (s.LOCK_TYPE = 'SHARED' AND s.OBJECT_TYPE IN ('GLOBAL', 'COMMIT', 'BACKUP LOCK')))
    AND (s.LOCK_STATUS = 'GRANTED' OR s.OBJECT_TYPE <> 'USER LEVEL LOCK')
    AND (s.LOCK_TYPE = 'EXCLUSIVE' OR s.LOCK_TYPE = 'SHARED_NO_READ_WRITE' AND
            o.LOCK_TYPE = 'SHARED_READ' OR o.LOCK_TYPE NOT IN ('SHARED', 'SHARED_HIGH_PRIO',
            'SHARED_READ', 'SHARED_READ_ONLY'))
    AND IF(s.LOCK_STATUS = 'GRANTED', o.LOCK_STATUS = 'PENDING', s.LOCK_STATUS = 'PENDING' AND (
        o.LOCK_STATUS = 'GRANTED' OR
        o.LOCK_TYPE IN ('SHARED_READ', 'SHARED_WRITE', 'INTENTION_EXCLUSIVE')))
    AND r.PROCESSLIST_ID AND b.PROCESSLIST_ID

-- Instruments of the performance schema.
-- What it waits for in there has an event, too.
-- word: cpu    wait/io/table/ -> cpu
-- word: client wait/io/socket/
-- word: log    wait/io/file/innodb/innodb_log_file
-- word: log    wait/io/file/sql/binlog
-- word: io     wait/io/
-- word: lock   wait/lock/
-- word: lock   wait/synch/cond/sql/MDL_context -> metadata lock
-- word: log    wait/synch/cond/sql/MYSQL_BIN_LOG
-- word: log    wait/synch/cond/semisync/
-- word: latch  wait/synch/
-- word: cpu    idle -> cpu
-- word: other  wait/

-- States of processes that say what they wait for.
-- word: log    Commit$ -> commit
-- MariaDB: the answer waits for the log.
-- word: log    Updating status$ -> commit
-- word: log    Waiting for prior transaction
-- word: log    waiting for handler commit$
-- word: log    Waiting for semi-sync
-- word: log    Waiting for space in the relay log
-- word: lock   Waiting for table flush$ -> table flush
-- word: lock   Waiting for 
-- word: lock   Locked$ -> table lock
-- word: lock   User lock$ -> user lock
-- word: client Writing to net$
-- word: client Sending to client$
-- word: client Reading from net$
-- word: other  User sleep$

-- Who a blocker is.
-- name: who_mysql
SELECT CONCAT_WS(', ', LEFT(USER, 32),
    CONCAT(IF(COMMAND = 'Sleep', 'idle in transaction', 'active'), ' for ', TIME, ' s'))
FROM information_schema.PROCESSLIST WHERE ID = %lld

-- Presets of --server-status: a variable, or a query.
-- preset: checkpoint_age:gauge
-- without: it takes MySQL and SET GLOBAL innodb_monitor_enable = 'log_lsn_checkpoint_age'
Innodb_checkpoint_age
-- or
SELECT MAX(VARIABLE_VALUE + 0) - MIN(VARIABLE_VALUE + 0) FROM performance_schema.global_status WHERE VARIABLE_NAME IN ('Innodb_redo_log_current_lsn', 'Innodb_redo_log_checkpoint_lsn')
-- or
SELECT `COUNT` FROM information_schema.INNODB_METRICS WHERE STATUS = 'enabled' AND NAME = 'log_lsn_checkpoint_age'

-- preset: dirty_pages:gauge
Innodb_buffer_pool_pages_dirty

-- preset: history_length:gauge
-- without: it takes MySQL and SET GLOBAL innodb_monitor_enable = 'trx_rseg_history_len'
Innodb_history_list_length
-- or
SELECT `COUNT` FROM information_schema.INNODB_METRICS WHERE STATUS = 'enabled' AND NAME = 'trx_rseg_history_len'

-- preset: pending_reads:gauge
Innodb_data_pending_reads

-- preset: pending_writes:gauge
Innodb_data_pending_writes

-- preset: pending_fsyncs:gauge
Innodb_data_pending_fsyncs

-- preset: buffer_reads
Innodb_buffer_pool_reads

-- preset: redo_bytes
Innodb_os_log_written

-- Sessions of others, see other_sessions.c.  "Connect" is a session that logs in, an event or a
-- thread of replication.
-- name: others_mysql
SELECT CONNECTION_ID(), MAX(ID), EXISTS(SELECT 1 FROM information_schema.USER_PRIVILEGES
        WHERE PRIVILEGE_TYPE = 'PROCESS' AND REPLACE(GRANTEE, '''', '') = CURRENT_USER()),
    COUNT(*), SUM(other), SUM(other AND (COMMAND <> 'Sleep' OR (ID <= %llu AND TIME < %d)))
FROM (SELECT ID, COMMAND, TIME, ID NOT IN (%s) AS other FROM information_schema.PROCESSLIST
    WHERE COMMAND NOT IN ('Daemon', 'Binlog Dump', 'Binlog Dump GTID', 'Connect', 'Slave_IO',
            'Slave_SQL', 'Slave_worker')
        AND USER NOT IN ('system user', 'event_scheduler', 'unauthenticated user')) p

-- Sessions and the kernel's numbers of their threads.  A pool's serve now this one, now that.
-- name: threads_mariadb
SELECT ID, TID FROM information_schema.PROCESSLIST
WHERE @@thread_handling = 'one-thread-per-connection'

-- name: threads_performance
SELECT PROCESSLIST_ID, THREAD_OS_ID FROM performance_schema.threads
WHERE PROCESSLIST_ID IS NOT NULL AND @@thread_handling = 'one-thread-per-connection'

-- That of this connection.
-- name: threads_own
SELECT /*M!100000 TID FROM information_schema.PROCESSLIST WHERE ID = */
/*!50700 THREAD_OS_ID FROM performance_schema.threads WHERE PROCESSLIST_ID = */
CONNECTION_ID() AND @@thread_handling = 'one-thread-per-connection'

-- What statements took, see server_statements.c; twice with these figures.
-- name: statements_figures
COUNT_STAR, SUM_TIMER_WAIT / 1e12, SUM_ROWS_SENT + SUM_ROWS_AFFECTED, SUM_ROWS_EXAMINED,
SUM_NO_INDEX_USED, SUM_CREATED_TMP_TABLES, SUM_CREATED_TMP_DISK_TABLES, NULL, NULL, NULL, NULL

-- name: statements_mysql
SELECT IFNULL(DIGEST, 'others'), DIGEST IS NULL,
    CASE WHEN DIGEST IS NULL THEN '(all beyond performance_schema_digests_size)'
        WHEN DIGEST_TEXT REGEXP 'performance_schema|information_schema|init_connect|sysbench_asks'
            OR DIGEST_TEXT REGEXP 'MAX_STATEMENT_TIME|MAX_EXECUTION_TIME|CONNECTION_ID'
            OR DIGEST_TEXT LIKE 'SHOW GLOBAL STATUS%%' THEN NULL
        ELSE TRIM(LEFT(DIGEST_TEXT, 300)) END, %1$s
FROM performance_schema.events_statements_summary_by_digest
WHERE (SCHEMA_NAME = DATABASE() OR DIGEST IS NULL) AND LAST_SEEN >= NOW() - INTERVAL %2$d SECOND
UNION ALL SELECT 'prepared', 1,
    '(all prepared statements; --db-ps-mode=disable tells them apart)', %1$s
FROM performance_schema.events_statements_summary_global_by_event_name
WHERE EVENT_NAME = 'statement/com/Execute' AND VERSION() LIKE '%%MariaDB%%'

-- Before a question of --server-query, so that it is told apart there.
-- name: mark_mysql
/*M!100201 WITH sysbench_asks AS (SELECT 1) *//*!80000 WITH sysbench_asks AS (SELECT 1) */

-- How long a question of --server-query may take.
-- name: limit_mysql
SET /*M!100101 max_statement_time = 0.05, */ /*!50708 max_execution_time = 50, */ @sysbench = NULL

-- name: unlimit_mysql
SET /*M!100101 max_statement_time = DEFAULT, */ /*!50708 max_execution_time = DEFAULT, */
@sysbench = NULL

-- Steps of --settle.
-- name: settle_limit_mysql
SET SESSION lock_wait_timeout = %1$ld, group_concat_max_len = 16777216
/*M!100000 , max_statement_time = %1$ld */

-- name: settle_analyze
SELECT COUNT(*), GROUP_CONCAT(CONCAT('`', REPLACE(TABLE_NAME, '`', '``'), '`'))
FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'

-- Undo logs are freed in batches, so the list need not become empty.
-- name: settle_purge
SELECT /*M!100000 VARIABLE_VALUE AS n, 100 FROM information_schema.GLOBAL_STATUS
    WHERE VARIABLE_NAME = 'Innodb_history_list_length' */
/*!50700 COUNT AS n, 100 FROM information_schema.INNODB_METRICS
    WHERE NAME = 'trx_rseg_history_len' */

-- MariaDB has a size that is none where it is off.
-- name: settle_change_buffer
SELECT IF(@@innodb_change_buffering = 'none' OR n > 1e9, NULL, n), 1 FROM (
    SELECT /*M!100000 VARIABLE_VALUE AS n, 1 FROM information_schema.GLOBAL_STATUS
        WHERE VARIABLE_NAME = 'Innodb_ibuf_size' */
    /*!50700 COUNT AS n, 1 FROM information_schema.INNODB_METRICS WHERE NAME = 'ibuf_size' */) b

-- Those below the mark may stay; where it is 0, as MariaDB's is, all may.
-- name: settle_dirty
SELECT SUM(IF(VARIABLE_NAME LIKE '%dirty', VARIABLE_VALUE, 0)),
    SUM(IF(VARIABLE_NAME LIKE '%total', VARIABLE_VALUE, 0)) * @@innodb_max_dirty_pages_pct_lwm / 100
FROM /*M!100000 information_schema.GLOBAL_STATUS */ /*!50700 performance_schema.global_status */
WHERE VARIABLE_NAME IN ('Innodb_buffer_pool_pages_dirty', 'Innodb_buffer_pool_pages_total')
