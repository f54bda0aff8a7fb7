# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shell pieces for the cram tests:   . "$TESTDIR/../include/common.sh"

# mask: numbers differ from run to run, their places do not.  1.23 -> N.NN, 4711 -> N,
# and a run of blanks before or after a number becomes one (none after a bracket), since columns move with its width.
mask() {
    sed -E -e 's/[0-9]+\.[0-9]{4}/N.NNNN/g' -e 's/[0-9]+\.[0-9]{3}/N.NNN/g' \
        -e 's/[0-9]+\.[0-9]{2}/N.NN/g' -e 's/[0-9]+\.[0-9]/N.N/g' -e 's/[0-9]+/N/g' \
        -e 's/  +N/ N/g' -e 's/\( +N/(N/g' -e 's/N  +/N /g'
}

# brief: a filter behind mask: the blocks that end a report of 1.0 or 1.1, if they are as in run_output.t, are one line
brief() {
    awk -v stock='General statistics:\n    total time: N.NNNNs\n    total number of events: N\n' \
        -v other='Throughput:\n    events/s (eps): N.NNNN\n    time elapsed: N.NNNNs\n    total number of events: N\n' \
        -v rest='\nLatency (ms):\n'\
'         min: N.NN\n         avg: N.NN\n         max: N.NN\n Nth percentile: N.NN\n         sum: N.NN\n\n'\
'Threads fairness:\n    events (avg/stddev): N.NNNN/N.NN\n    execution time (avg/stddev): N.NNNN/N.NN\n' '
        /^(General statistics|Throughput):$/ { printf "%s", held; held = "" ; holding = 1; name = $0; sub(":", "", name) }
        !holding { print; next }
        { held = held $0 "\n" }
        /execution time/ {
            whole = held == stock rest || held == other rest
            printf "%s", whole ? "(" name ", Latency, Threads fairness)\n" : held
            held = ""
            holding = 0
        }
        END { if (holding) printf "%s", held }'
}

# banner: a filter that masks the version of LuaJIT in the first line
banner() { sed 's/using system LuaJIT [^)]*/using system LuaJIT VERSION/'; }

# unwrap: the lines of a report as they were before they were wrapped at 80 columns
unwrap() {
    awk '{ rest = substr($0, 42) }
        NR > 1 && rest != "" && rest !~ /^ / && substr($0, 1, 41) ~ /^ *$/ { printf " %s", rest; next }
        { printf "%s%s", (NR > 1 ? "\n" : ""), $0 }
        END { if (NR) print "" }'
}

# naps US FILE.lua: a script whose event sleeps for so many microseconds
naps() { echo "ffi.cdef('int usleep(unsigned)') function event() ffi.C.usleep($1) end" >"$2"; }

# exited STATUS: says it, unless it is 0
exited() { [ "$1" -eq 0 ] || echo "exit $1"; }

# refused ARGUMENT...: what a command line that ends with status 1 says; if it ends with another, that, too
refused() {
    refused_status=0
    sysbench "$@" >out 2>err </dev/null || refused_status=$?
    [ $refused_status -eq 1 ] || echo "exit $refused_status"
    cat out err | grep -v -e '^sysbench .*(using ' -e '^$' || :
}

# wait_for FILE PATTERN [LINES]: until so many lines (one) of FILE match; 1 when they never do
wait_for() {
    wait_left=1500
    until matches "$@"; do
        wait_left=$((wait_left - 1))
        if [ $wait_left -le 0 ]; then
            echo "no line matches '$2' in $1:"
            cat "$1"
            return 1
        fi
        # looking takes CPU time from those that we wait for
        if [ $wait_left -gt 1480 ]; then sleep 0.02; else sleep 0.1; fi
    done
}
matches() {
    if [ "${3:-1}" = 1 ]; then
        grep -q -e "$2" "$1" 2>/dev/null
    else
        [ "$(grep -c -e "$2" "$1" 2>/dev/null || true)" -ge "$3" ] 2>/dev/null
    fi
}

# in_range LOW HIGH NUMBER: says nothing when LOW <= NUMBER <= HIGH, else what it got.  For what does not depend on how
# fast the machine was: counts, sizes, shares, and bounds of time that hold on a stalled machine, too.
in_range() {
    awk -v low="$1" -v high="$2" -v n="$3" 'BEGIN {
        if (n == "" || n + 0 < low + 0 || n + 0 > high + 0)
            print "expected " low " to " high ", got \"" n "\"" }'
}

# timed LOW HIGH NUMBER: the same for what a stalled machine changes.  When the bound does not hold and the machine stood
# still or was overloaded since the file began (tests/lib/pulse.py), the file is inconclusive instead.
timed() {
    timed_out=$(in_range "$@")
    if [ -z "$timed_out" ]; then return 0; fi
    if [ -n "$3" ] && stood_still; then
        echo "$timed_out" >>"$SB_INCONCLUSIVE"
    else
        echo "$timed_out"
    fi
}

# timed_diff WANT GOT: the same for texts that a stalled machine changes; `-` is the standard input
timed_diff() {
    timed_out=$(diff "$@") && return 0
    if stood_still; then
        echo "differs: $(echo "$timed_out" | tr '\n' ' ')" >>"$SB_INCONCLUSIVE"
    else
        echo "$timed_out"
    fi
}

# stood_still: did the machine stand still for 100 ms or more since this file began, or was it overloaded?
stood_still() {
    [ -n "${SB_PULSE:-}" ] || return 1
    sleep 0.6       # the pulse may be waiting for a CPU, or for the overload to last
    awk -v began="$SB_BEGAN" '$1 >= began { stalls++ } END { exit !stalls }' "$SB_PULSE"
}

# clients_failed NUMBER [MOST]: a filter that masks how many more clients failed than the first one, and checks that
# NUMBER (to MOST) did.  On a stalled machine there may be fewer: those that have not tried 2 s after the first failure
# are left.
clients_failed() {
    clients_text=$(cat)
    timed "$1" "${2:-$1}" "$(echo "$clients_text" | sed -n -E 's/^FATAL: ([0-9]+) more clients met .*/\1/p')"
    echo "$clients_text" | sed -E 's/^FATAL: [0-9]+ (more clients met)/FATAL: N \1/'
}

# short_or_long SHORT LONG: prints the second where SB_LONG is set (tests/nightly sets it), else the first
short_or_long() { if [ -n "${SB_LONG:-}" ]; then echo "$2"; else echo "$1"; fi; }

# skip REASON: ends the file as skipped; tests/cram says why
skip() {
    echo "$1" >>"${SB_INCONCLUSIVE:-/dev/stderr}"
    exit 80
}

# the names of all tests: built-in ones, bundled scripts
builtin_tests() { sysbench --help=all | sed -n '/^Compiled-in tests:/,/^$/s/^  \([a-z_]*\) - .*/\1/p'; }
bundled_tests() { sysbench --help=all | sed -n '/^Bundled database tests:/,/^$/s/^  \([a-z_]*\) - .*/\1/p'; }

# needs_mysql: skips the file when the MySQL driver was not built (--with-mysql=no): --mysql-dry-run is part of it
needs_mysql() { sysbench --version --verbose | grep -q '^driver: mysql' || skip 'no MySQL driver'; }

# relay TARGET [OPTION...]: passes connections on to it (relay.py) from the port $via of 127.0.0.1; `relays_end` ends all
relay() {
    relay_to=$1
    shift
    rm -f relay.port
    python3 "$TESTDIR/../include/relay.py" 127.0.0.1 "$relay_to" relay.port "$@" &
    relays="${relays:-} $!"
    until [ -s relay.port ]; do sleep 0.02; done
    via=$(cat relay.port)
}
relays_end() {
    # shellcheck disable=SC2086      # several
    kill $relays
    relays=
}

# own_server [OPTION...] [-- OPTION OF THE SERVER...]: a server for this file alone, in $place/db, which ends with the
# shell, after what at_end says; `server start|stop|...` is dbserver's.  Sets what dbserver tells: socket, pid, args ...
server() {
    server_what=$1
    shift
    "$SB_DBSERVER" "$server_what" --dir="$place/db" "$@"
}
own_server() {
    [ -z "${SB_NO_OWN_SERVER:-}" ] || skip 'it starts a server of its own'
    place=$PWD
    case $* in # its user must be able to enter, in names that are short enough for a socket
    *--engine=postgresql*) place=$(mktemp -d "${SB_TESTS%/*}/own-XXXXXX") && chmod 711 "$place" ;;
    esac
    server start "$@" >./env || cat ./env
    # shellcheck source=/dev/null
    . ./env
    # shellcheck disable=SC2154      # of the file
    trap 'eval "${at_end:-}"; server stop --remove; [ "$place" = "$PWD" ] || rmdir "$place"' EXIT
}

# revive: the server of its own, which was killed, is started once it has ended
revive() {
    while server status >./env; do sleep 0.05; done
    server start >./env || cat ./env
    # shellcheck source=/dev/null
    . ./env
}

# root STATEMENT [OPTION...]: in the database of a server of its own, prints bare tab-separated rows
root() {
    root_text=$1
    shift
    # shellcheck disable=SC2154      # engine, socket, admin, db: in env
    case $engine in
    postgresql)
        psql --no-psqlrc --host="${socket%/*}" --port="${socket##*.}" --username="$admin" --dbname="$db" --quiet \
            --tuples-only --no-align --field-separator="$(printf '\t')" --command="$root_text"
        ;;
    *)
        "$(command -v mariadb || command -v mysql)" --no-defaults --socket="$socket" --user="$admin" --batch \
            --skip-column-names "$db" --execute="$root_text" "$@"
        ;;
    esac
}

# filled TEST OPTION...: its tables, and nothing is said when they are there
filled() { sysbench "$@" prepare >out || cat out; }
