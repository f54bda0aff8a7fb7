# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# PgBouncer before the private PostgreSQL of a cram test, after pgsql.sh:   . "$TESTDIR/../include/pooler.sh"
#
#     pooler transaction 3         # pool_mode, default_pool_size
#     sysbench ... $SB_PGSQL_ARGS --pgsql-host=$place --pgsql-port=6432
#     pooler_end
#
# Skips the file where there is no PgBouncer.

bouncer=$(command -v pgbouncer) || skip 'no pgbouncer'
as=
if [ "$(id -u)" = 0 ]; then
    command -v setpriv >/dev/null || skip 'no setpriv (util-linux)'
    as="setpriv --reuid=nobody --regid=$(id -g nobody) --clear-groups"
fi

pooler() {
    place=$(mktemp -d /tmp/pooler-XXXXXX)
    [ "$(id -u)" != 0 ] || chown nobody "$place"
    cat >"$place/ini" <<END
[databases]
* = host=$SB_PGSQL_HOST port=$SB_PGSQL_PORT user=$SB_PGSQL_USER
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = $place
logfile = $place/log
pidfile = $place/pid
auth_type = any
pool_mode = $1
default_pool_size = $2
max_prepared_statements = 0
END
    version=$("$bouncer" --version | sed -n -E '1s/.* 1\.([0-9]+).*/\1/p')
    [ "$version" -ge 21 ] || sed -i /max_prepared/d "$place/ini"
    # shellcheck disable=SC2086 # words
    $as "$bouncer" -q "$place/ini" &
    pooler=$!
    tries=500
    until grep -q 'process up' "$place/log" 2>/dev/null || [ $tries = 0 ]; do # it has a socket before it listens
        tries=$((tries - 1))
        sleep 0.02
    done
}

pooler_end() {
    kill "$pooler"
    wait "$pooler"
    rm -r "$place"
}
