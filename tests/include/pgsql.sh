# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shell pieces for the cram tests named *_pgsql.t and *_each.t:   . "$TESTDIR/../include/pgsql.sh"
# The private server and this file's own database come from tests/cram.

. "$TESTDIR/../include/common.sh"

# sql STATEMENT: runs it in this file's database, prints bare tab-separated rows
sql() {
    psql --no-psqlrc --host="$SB_PGSQL_HOST" --port="$SB_PGSQL_PORT" --username="$SB_PGSQL_USER" \
        --dbname="$SB_PGSQL_DB" --quiet --tuples-only --no-align --field-separator="$(printf '\t')" \
        --command="$1"
}

# tables: the names of this database's tables, one a line
tables() {
    sql "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
}
