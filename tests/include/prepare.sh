# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shell pieces for the cram tests of prepare against a MariaDB of their own:   . "$TESTDIR/../include/prepare.sh"
# The server is in ./db, and ./env says where; it ends with the shell.

. "$TESTDIR/../include/mysql.sh"

own_server --port=none -- --innodb-buffer-pool-size=64M --innodb-flush-log-at-trx-commit=2

# shellcheck disable=SC2154      # socket, admin, db, args: in env
sql() { mariadb --no-defaults --socket="$socket" --user="$admin" --batch --skip-column-names "$db" --execute="$1"; }

# shellcheck disable=SC2086,SC2154      # several options
sb() { sysbench "$@" $args --rand-seed=7; }

# prepare ARGUMENT...: two tables of 30,000 rows, unless it says otherwise; cleanup: those, and two more
prepare() {
    sb oltp_read_write --tables=2 --table-size=30000 "$@" prepare >out 2>err
    exited $?
    sed -i '/ rows\/s/d' err # a slow machine gets such lines
}
cleanup() { sb oltp_read_write --tables=4 cleanup >/dev/null; }

# sums: what is in the tables; the same for the same rows
sums() {
    sql "CHECKSUM TABLE sbtest1, sbtest2" | cut -f 2
    sql "SELECT COUNT(*), MIN(id), MAX(id) FROM sbtest1"
}

# loaded COMMAND...: runs it, and says how many LOAD DATA the server has got
loads() { sql "SHOW GLOBAL STATUS LIKE 'Com_load'" | cut -f 2; }
loaded() {
    before=$(loads)
    "$@"
    echo "loaded $(($(loads) - before))"
}
