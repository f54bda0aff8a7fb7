# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shell pieces for prepare_faults_each.t:   . "$TESTDIR/../include/faults.sh"
# A server with a small disk, and what a fault is with MariaDB and with PostgreSQL.

# shellcheck source=/dev/null
# shellcheck disable=SC2154      # socket, port, user, admin, db, args: in env
. "$TESTDIR/../include/$DB.sh"

# so that one may wait for rows that another has: with innodb_autoinc_lock_mode=1, a piece that waits would stop the others
in_mysql="--innodb-buffer-pool-size=64M --innodb-flush-log-at-trx-commit=2 --innodb-file-per-table=0 --innodb-autoinc-lock-mode=2"
columns="k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT ''"

# again WHAT [OPTION]...: starts or restarts the server; room: with a disk that is not full
again() {
    server "$@" >./env || cat ./env
    # shellcheck source=/dev/null
    . ./env
}

# sums: what is in the table; table: makes it; meets STATEMENT [ID]: done before the row of this id is inserted, `meets` without
# a statement: no more; ids STATEMENT: of the sessions that execute it; ends ID: of a session; index: how many there are;
# locks: the lock `hold`, and sessions that wait for it
case $DB in
mysql)
    fast=load drops="DROP TRIGGER meets" die="KILL CONNECTION_ID()" full="error 1114" through=--mysql-socket=
    dies_twice="INSERT INTO times VALUES (1); IF (SELECT COUNT(*) FROM times) < 3 THEN $die; END IF"
    fails="SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'again'"
    waits="DO GET_LOCK('hold', 300)" holds="DO GET_LOCK('hold', 1), SLEEP(300)"
    reads="BEGIN// SELECT id FROM sbtest1 LIMIT 1// SELECT SLEEP(300)" reading="SELECT SLEEP"
    sql() { mariadb --no-defaults --socket="$socket" --user="$admin" -BN --delimiter=// "$db" --execute="$1"; }
    sums() { sql "CHECKSUM TABLE sbtest1// SELECT COUNT(*), MIN(id), MAX(id) FROM sbtest1"; }
    table() { sql "CREATE TABLE sbtest1 (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, $columns)"; }
    meets() { sql "CREATE TRIGGER meets BEFORE INSERT ON sbtest1 FOR EACH ROW BEGIN IF NEW.id = 28000 THEN $1; END IF; END"; }
    counts() { sql "CREATE TABLE times (t INT) ENGINE=MyISAM"; } # a ROLLBACK leaves it alone
    tries() { sql "SELECT COUNT(*) FROM times// TRUNCATE TABLE times"; }
    ids() { sql "SELECT id FROM information_schema.processlist WHERE info LIKE '$1%'"; }
    ends() { sql "KILL $1"; }
    index() { sql "SHOW INDEX FROM sbtest1 WHERE Key_name = 'k_1'" | wc -l; }
    locks() {
        sql "SELECT 1 - IS_FREE_LOCK('hold') + COUNT(*) FROM information_schema.processlist WHERE state = 'User lock'"
    }
    # shellcheck disable=SC2086      # several options
    room() { again restart -- $in_mysql --innodb-data-file-path=ibdata1:12M:autoextend; }
    crash() { kill -KILL "$pid"; }
    # shellcheck disable=SC2086
    own_server --port=none -- $in_mysql --innodb-data-file-path=ibdata1:12M:autoextend:max:30M
    ;;
pgsql)
    fast=copy drops="DROP TRIGGER meets ON sbtest1" die="PERFORM pg_terminate_backend(pg_backend_pid())" through=
    full="state '\(53100\|XX000\)'" # from PostgreSQL 16 on that of an internal error
    dies_twice="IF nextval(''times'') < 3 THEN $die; END IF"
    fails="RAISE EXCEPTION USING MESSAGE = ''again'', ERRCODE = ''40001''"
    waits="PERFORM pg_advisory_xact_lock(1)" holds="SELECT pg_advisory_lock(1), pg_sleep(300)"
    reads="BEGIN; LOCK TABLE sbtest1 IN ROW EXCLUSIVE MODE; SELECT pg_sleep(300)" reading=BEGIN
    sql() { psql --no-psqlrc --host="${socket%/*}" --port="${socket##*.}" --username="$user" --dbname="$db" -qtAX --command="$1"; }
    sums() { sql "SELECT COUNT(*), md5(string_agg(concat_ws(',', id, k, c, pad), ' ' ORDER BY id)) FROM sbtest1"; }
    table() { sql "CREATE TABLE sbtest1 (id SERIAL PRIMARY KEY, $columns)"; }
    meets() {
        sql "CREATE OR REPLACE FUNCTION meets() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN $1; RETURN NEW; END';
            CREATE TRIGGER meets BEFORE INSERT ON sbtest1 FOR EACH ROW WHEN (NEW.id = ${2:-28000}) EXECUTE FUNCTION meets()"
    }
    counts() { sql "CREATE SEQUENCE times"; } # a ROLLBACK leaves it alone
    tries() { sql "SELECT last_value FROM times"; sql "SELECT setval('times', 1, false)" >./was; }
    ids() { sql "SELECT pid FROM pg_stat_activity WHERE query LIKE '$1%'"; }
    ends() { sql "SELECT pg_terminate_backend($1)" >./ended; }
    index() { sql "SELECT COUNT(*) FROM pg_indexes WHERE indexname = 'k_1'"; }
    locks() { sql "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'"; }
    room() { prlimit --fsize=unlimited: --pid=$$ && again restart; }
    crash() { kill -QUIT "$pid"; }
    command -v prlimit >/dev/null || skip 'no prlimit (util-linux)'
    prlimit --fsize=18000000: --pid=$$
    own_server --engine=postgresql --port=none -- --fsync=off
    ;;
esac

# shellcheck disable=SC2086      # several options
sb() { sysbench oltp_read_write $args --rand-seed=7 --threads=2 "$@"; }
prepare() {
    sb "$@" prepare >out 2>err
    exited $?
    sed -i '/ rows\/s/d' err # slow machines get such a line
}
cleanup() { sb cleanup >/dev/null; }
# said: without the error of the server
said() {
    grep -h '^FATAL' out | sed -E 's/rows [0-9]+ to [0-9]+: error .*/rows N to N: ERROR/'
    grep -v -e '^sbtest1:' -e ' rows/s' err | sed 's/after error.*; /after ERROR; /'
}
# until_is VALUE COMMAND...
until_is() {
    until_value=$1
    shift
    until [ "$("$@")" = "$until_value" ]; do sleep 0.05; done
}
