# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
#
# Shell pieces for the cram tests of lists of servers:   . "$TESTDIR/../include/hosts.sh"
# Two servers of the kind of $DB, db1 and db2, whose sockets are in $at1 and $at2, and $both: options for the list of them;
# `server start|kill NUMBER` is dbserver's, and the death of one.  one.lua says with WHERE=1 where each client is.

. "$TESTDIR/../include/rate.sh"
. "$TESTDIR/../include/report.sh"
[ -z "${SB_NO_OWN_SERVER:-}" ] || skip 'it starts a server of its own'

# hosts FILE.json [FILE.hosts.csv]: what they say of each server; they add up
hosts() { report hosts "$1" + agree "$@" | sed 's/transactions [0-9]*/transactions N/'; }

# server start|status|stop|kill NUMBER [OPTION...]
server() {
    hosts_do=$1 hosts_i=$2
    shift 2
    case $hosts_do in
    kill)
        kill -"$hosts_kill" "$(sed -n 's/^pid=//p' "./env$hosts_i")"
        while "$SB_DBSERVER" status --dir="$place/db$hosts_i" >./env; do sleep 0.05; done
        ;;
    *) "$SB_DBSERVER" "$hosts_do" --dir="$place/db$hosts_i" "$@" ;;
    esac
}
hosts_end() {
    for i in 1 2; do server stop $i --remove & done
    wait
    rm -rf "$place/at"
    [ "$place" = "$PWD" ] || rmdir "$place"
}

if [ "$DB" = mysql ]; then
    place=$PWD hosts_kill=KILL
    hosts_options="-- --innodb-buffer-pool-size=16M" where="SELECT @@socket"
else # its user must be able to enter, and with one port, two servers of one machine need sockets of their own
    place=$(mktemp -d "${SB_TESTS%/*}/hosts-XXXXXX") hosts_kill=INT
    chmod 711 "$place"
    hosts_options="--engine=postgresql --port=none --" where="SHOW cluster_name"
fi
for i in 1 2; do
    : >./env$i
    named=
    [ "$DB" = mysql ] || named=--cluster_name=x/db$i/run
    # shellcheck disable=SC2086      # several options
    server start $i $hosts_options $named >./env$i || cat ./env$i &
done
wait
trap hosts_end EXIT
mkdir -p "$place/at"
chmod 711 "$place/at"
for i in 1 2; do
    # shellcheck source=/dev/null
    . ./env$i
    mkdir "$place/at/db$i"
    ln -s "$socket" "$place/at/db$i/${socket##*/}"
done
at1=$place/at/db1 at2=$place/at/db2 login="--db-driver=$DB --$DB-user=$user --$DB-db=$db"
case $DB in
mysql) both="$login --mysql-socket=$place/db1/run/mariadb.sock,$place/db2/run/mariadb.sock" ;;
*) both="$login --pgsql-host=$at1,$at2" ;;
esac
cat >one.lua <<END
function where(c) return c:query_row("$where"):match("(db.)/run") end
function thread_init()
   con = sysbench.sql.driver():connect()
   if os.getenv("WHERE") then print("client " .. sysbench.tid .. " " .. where(con)) end
end
function event() con:query("SELECT 1") end
END
