# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shell pieces for the cram tests named *_mysql.t and *_each.t:   . "$TESTDIR/../include/mysql.sh"
# The private server and this file's own database come from tests/cram.

. "$TESTDIR/../include/common.sh"

# sql STATEMENT [OPTION]: runs it in this file's database, prints bare tab-separated rows
sql() {
    sql_client=$(command -v mariadb || command -v mysql) || { echo "no mariadb client"; return 1; }
    "$sql_client" --no-defaults --socket="$SB_MYSQL_SOCKET" --user="$SB_MYSQL_USER" \
        --batch --skip-column-names "$SB_MYSQL_DB" ${2:+"$2"} --execute="$1"
}

# tables: the names of this database's tables, one a line
tables() {
    sql "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()
         ORDER BY table_name"
}
