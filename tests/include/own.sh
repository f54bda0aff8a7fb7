# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# Shell pieces for the cram tests named *_each.t with a server of their own:   . "$TESTDIR/../include/own.sh"

. "$TESTDIR/../include/workers.sh"

# own_db [OPTION...] -- [OPTION OF THE SERVER...]: a server of the kind of $DB; its connections as $sessions: id, login,
# statement and for how many ms that has run
own_db() {
    if [ "$DB" = mysql ]; then
        own_server "$@" --innodb-buffer-pool-size=16M
        sessions='SELECT id, user AS login, info AS statement, time_ms AS ms FROM information_schema.processlist'
    else
        own_server --engine=postgresql "$@" --fsync=off
        sessions="SELECT pid AS id, usename AS login, CASE state WHEN 'active' THEN query END AS statement,
            1000 * EXTRACT(epoch FROM clock_timestamp() - query_start) AS ms FROM pg_stat_activity"
    fi
    sessions="FROM ($sessions) AS s WHERE"
}

# until_true CONDITION: of the server, which may be full for a while
until_true() {
    left=600
    until [ "$(root "SELECT COUNT(*) FROM (SELECT 1) AS one WHERE $1" 2>/dev/null)" = 1 ]; do
        left=$((left - 1))
        [ $left -gt 0 ] || { echo "never: $1"; return 1; }
        sleep 0.1
    done
}

# clients_are NUMBER: when sysbench has so many connections, and those of the run before have gone
clients_are() { until_true "(SELECT COUNT(*) $sessions login = '$user') = $1"; }

# runs STATEMENT [MS]: when it has run for so long
runs() { until_true "EXISTS (SELECT 1 $sessions statement = '$1' AND ms >= ${2:-0})"; }

# end_all CONDITION: of sessions, at once; those that have gone meanwhile keep nobody
end_all() {
    case $DB in
    mysql) root "$(root "SELECT CONCAT('KILL ', id, ';') $sessions $1")" --force 2>/dev/null ;;
    *) root "SELECT pg_terminate_backend(id) $sessions $1" >/dev/null ;;
    esac
}
