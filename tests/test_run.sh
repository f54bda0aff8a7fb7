#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the cram tests: what a user of the built binary sees.
#
# usage: tests/test_run.sh [-u] [FILE.t | FOLDER]...      (default: tests/t)
#   -u   write what the commands print now into the test files (look at the diff!)
#
# Each file runs alone, in a fresh folder, with `sysbench` in PATH, an empty HOME,
# TZ=UTC and the C locale.  A copy is run, so that the source tree may be read-only;
# beside the copy lie include/ and data/ as they do in the tree.
# Files named *_mysql.t meet a private MariaDB (or what DBSERVER_ENGINE names) that lives
# as long as this script and holds an empty database for each of them: $SB_MYSQL_ARGS are
# the options to reach it; *_pgsql.t and $SB_PGSQL_ARGS likewise with PostgreSQL.  Without
# a server program, or with SB_NO_SERVER set, they are skipped; with SB_NEED_SERVER set, a
# MariaDB that does not start is a failure.  SB_MYSQL_SERVER and SB_PGSQL_SERVER name files
# that describe servers which run already (dbserver --prefix=mysql_, --prefix=pgsql_), with
# these databases in them; tests/matrix/run does so.  With SB_NO_OWN_SERVER set, files that
# start servers of their own skip themselves.
#
# Output is TAP, a failed test is followed by its diff.  A file that fails runs a second time:
# a machine that stood still for a while is no fault of the program.  When it passes then, it
# counts as passed, and the line and the diff of the first try say so; when it fails again and
# the machine was seen to stand still meanwhile, there is a third try.  SB_TRIES=1 turns that off,
# for those who look for such files; more than 2 is possible, too.
# Exit status for automake: 0 all passed, 77 all skipped, 1 otherwise.  SB_COUNTS names a file
# that gets "PASSED FAILED SKIPPED", and the names of those that needed more than one try.
set -eu

tests=$(cd "$(dirname "$0")" && pwd)
source_dir=${SB_SRCDIR:-$(dirname "$tests")}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/sb-cram-XXXXXX")
dbserver=$source_dir/scripts/dbserver
passed=0 failed=0 skipped=0 number=0 again=
tries=${SB_TRIES:-2} pulse_pid=

die() { echo "Bail out! $*"; exit 1; }

finish() {
    status=$?
    trap - EXIT INT TERM HUP
    if [ -n "$pulse_pid" ]; then kill "$pulse_pid" 2>/dev/null || true; fi
    for kind in mysql pgsql; do
        if [ -e "$tmp/$kind/dbserver.json" ]; then "$dbserver" stop --dir="$tmp/$kind"; fi
    done
    rm -rf "$tmp"
    exit $status
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

find_binary() {     # sets binary
    for file in "${SYSBENCH:-}" "$source_dir"/build/src/sysbench \
        "$source_dir"/build-check/src/sysbench "$source_dir"/src/sysbench; do
        if [ -n "$file" ] && [ -x "$file" ]; then
            binary=$(cd "$(dirname "$file")" && pwd)/$(basename "$file")
            return
        fi
    done
    die "no sysbench binary; build first, or name it in SYSBENCH"
}

find_cram() {       # sets cram
    for file in "${CRAM:-}" cram cram3 \
        "${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/sysbench-tx/venv/bin/cram"; do
        if [ -n "$file" ] && command -v "$file" >/dev/null; then
            cram=$file
            return
        fi
    done
    echo "1..0 # SKIP cram is not installed (third_party/install-deps --test)"
    exit 77
}

# Files in the order of their names; the first failure should be the simplest one.
list_files() {      # sets files
    files=
    for what; do
        [ -e "$what" ] || die "no such test: $what"
        files="$files $(find "$what" -name '*.t' | sort)"
    done
}

# Database of a test file: its name, reduced to what a database may be called.
database() { printf 'sbt_%s' "$(basename "$1" .t | tr -c 'A-Za-z0-9\n' _)"; }

# ... and that of its second and later tries: it shall be empty, too.
databases() {
    database "$1"
    n=2
    while [ "$tries" -gt 1 ] && [ $n -le $((tries + 1)) ]; do
        printf ',%s_%s' "$(database "$1")" $n
        n=$((n + 1))
    done
}

# start_server KIND ENGINE SERVER-OPTION...: for the files named *_KIND.t, if there are any
start_server() {
    kind=$1 engine=$2
    shift 2
    list=
    for file in $files; do
        case $file in *_"$kind".t) list="$list${list:+,}$(databases "$file")" ;; esac
    done
    if [ -z "$list" ] || [ -n "${SB_NO_SERVER:-}" ]; then return 0; fi
    given=$(eval "echo \${SB_$(echo "$kind" | tr a-z A-Z)_SERVER:-}")
    if [ -n "$given" ]; then
        tries=1     # somebody else made the databases, one a file
        . "$given"
        return 0
    fi
    mkdir -m 711 "$tmp/$kind"
    if "$dbserver" start --engine="$engine" --dir="$tmp/$kind" --prefix="$kind"_ --db="$list" \
        -- "$@" >"$tmp/$kind.env" 2>"$tmp/$kind.err"; then
        . "$tmp/$kind.env"
        return 0
    fi
    sed 's/^/# /' "$tmp/$kind.err"
    if [ -n "${SB_NEED_SERVER:-}" ] && [ "$kind" = mysql ]; then
        die "the private MariaDB does not start"
    fi
}

# What a test file sees of the world, one NAME=VALUE a line.
environment() {
    cat <<ENV
PATH=$tmp/bin:$PATH
HOME=$tmp/home
TZ=UTC
LC_ALL=C
XDG_CACHE_HOME=${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}
SB_TESTS=$tmp/tests
SB_SOURCE=$source_dir
SB_DBSERVER=$dbserver
ENV
    if [ -n "$pulse_pid" ]; then echo "SB_PULSE=$tmp/late"; fi
    env | grep -E '^(LUA_PATH|([ATL]|UB)SAN_OPTIONS|DBSERVER_ENGINE|SB_NO_OWN_SERVER)=' || true
    if [ -n "${mysql_pid:-}" ]; then
        cat <<ENV
SB_MYSQL_ARGS=--db-driver=mysql --mysql-socket=$mysql_socket --mysql-user=$mysql_user --mysql-db=$1
SB_MYSQL_TCP_ARGS=--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port=$mysql_port --mysql-user=$mysql_user --mysql-db=$1
SB_MYSQL_SOCKET=$mysql_socket
SB_MYSQL_PORT=$mysql_port
SB_MYSQL_USER=$mysql_user
SB_MYSQL_DB=$1
SB_MYSQL_PID=$mysql_pid
ENV
    fi
    if [ -n "${pgsql_pid:-}" ]; then
        cat <<ENV
SB_PGSQL_ARGS=--db-driver=pgsql --pgsql-host=${pgsql_socket%/*} --pgsql-port=$pgsql_port --pgsql-user=$pgsql_user --pgsql-db=$1
SB_PGSQL_TCP_ARGS=--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port=$pgsql_port --pgsql-user=$pgsql_user --pgsql-db=$1
SB_PGSQL_HOST=${pgsql_socket%/*}
SB_PGSQL_PORT=$pgsql_port
SB_PGSQL_USER=$pgsql_user
SB_PGSQL_DB=$1
SB_PGSQL_PID=$pgsql_pid
ENV
    fi
}

# The expected output is that of libmariadb and MariaDB; other libraries and servers have other words.
find_words() {      # sets words, options of sed
    words=
    if [ -n "$update" ]; then return; fi
    case $("$binary" --version --verbose | sed -n 's/^driver: mysql (\(.*\))/\1/p') in
    libmysqlclient*) words="$words -f $tests/include/words-library-mysql.sed" ;;
    "libmariadb 3."[4-9]*) words="$words -f $tests/include/words-library-mariadb-3.4.sed" ;;
    esac
    if [ "${mysql_engine:-}" = mysql ]; then words="$words -f $tests/include/words-server-mysql.sed"; fi
}

limit() { if command -v timeout >/dev/null; then timeout "${SB_TEST_LIMIT:-300}" "$@"; else "$@"; fi; }

# run_cram DATABASE: runs the copy; cram's status is 0 passed, 1 differs; the diff goes to $tmp/out
run_cram() {
    environment "$1" >"$tmp/env"
    set --
    while IFS= read -r line; do set -- "$@" "$line"; done <"$tmp/env"
    cd "$tmp/tests"     # cram -i makes patches, and patch wants a relative name
    limit env -i "$@" "$cram" $update --indent=2 --shell=/bin/sh "t/${copy##*/}" >"$tmp/out" 2>&1
}

report() { # WORD FILE [REMARK]
    number=$((number + 1))
    echo "$1 $number - $(basename "$2" .t)${3:+ # $3}"
}

missing_netns() {
    if [ -z "${mysql_pid:-}" ]; then echo "no private MariaDB"
    elif ! command -v ip >/dev/null; then echo "no ip command (iproute2)"
    elif ! unshare --net true 2>/dev/null; then echo "network namespaces are not permitted here"
    fi
}

# Why a file cannot run here; nothing when it can.
missing_server() {
    case $1 in
    *_netns_mysql.t) missing_netns ;;
    *_mysql.t) [ -n "${mysql_pid:-}" ] || echo "no private MariaDB" ;;
    *_pgsql.t) [ -n "${pgsql_pid:-}" ] || echo "no private PostgreSQL" ;;
    */report_schema.t) python3 -c 'import jsonschema' 2>/dev/null || echo "no jsonschema for Python" ;;
    esac
}

# try_file FILE DATABASE: sets status; what it says goes to $tmp/out
try_file() {
    copy=$tmp/tests/t/$(basename "$1")
    sed -e "s/$(database "$1")/$2/g" $words "$1" >"$copy"
    status=0
    rm -f "$tmp/late"
    (run_cram "$2") || status=$?
    if [ $status = 124 ]; then echo "# no end within ${SB_TEST_LIMIT:-300} s" >>"$tmp/out"; fi
}

# Takes the pulse: writes into a file how late, in ms, a sleep of 20 ms was at most since the file went away.
pulse() {
    exec python3 -c '
import os, sys, time
worst = 0
while True:
    begun = time.monotonic()
    time.sleep(0.02)
    late = (time.monotonic() - begun - 0.02) * 1000
    if not os.path.exists(sys.argv[1]) or late > worst:
        worst = late
        with open(sys.argv[1] + ".new", "w") as f:
            f.write("%d" % worst)
        os.rename(sys.argv[1] + ".new", sys.argv[1])
' "$tmp/late" 2>/dev/null
}

# Did the machine stand still during the last try?
stalled() { [ "$(cat "$tmp/late" 2>/dev/null || echo 0)" -ge 100 ]; }

# What no stalled machine explains: a crash, a sanitizer's report.
crashed() { grep -q -E 'Sanitizer|runtime error:|Segmentation fault|Aborted|Assertion' "$tmp/out"; }

show() { sed -e '/^# Ran /d' -e 's/^/    /' "$1"; }

ordinal() { case $1 in 2) echo second ;; 3) echo third ;; *) echo "$1th" ;; esac; }

run_file() {
    missing=$(missing_server "$1")
    if [ -n "$missing" ]; then
        skipped=$((skipped + 1))
        report ok "$1" "SKIP $missing"
        return
    fi
    try=1
    try_file "$1" "$(database "$1")"
    while [ $status != 0 ] && [ -z "$update" ] && ! crashed && { [ $try -lt "$tries" ] || { [ "$tries" -gt 1 ] &&
        [ $try = "$tries" ] && stalled; }; }; do
        if [ $try = 1 ]; then mv "$tmp/out" "$tmp/first"; fi
        try=$((try + 1))
        try_file "$1" "$(database "$1")_$try"
    done
    if [ -n "$update" ]; then cmp -s "$copy" "$1" || cat "$copy" >"$1"; fi
    if [ $status = 0 ] && grep -q '^# Ran 1 tests*, 1 skipped' "$tmp/out"; then
        skipped=$((skipped + 1))
        report ok "$1" "SKIP the test says so"
    elif [ $status = 0 ]; then
        passed=$((passed + 1))
        if [ $try = 1 ]; then
            report ok "$1"
        else
            again="$again $(basename "$1" .t)"
            report ok "$1" "passed at the $(ordinal $try) try; the first:"
            show "$tmp/first"
        fi
    else
        failed=$((failed + 1))
        report "not ok" "$1"
        if [ $try -gt 1 ]; then echo "# also at the $(ordinal $try) try, which printed:"; fi
        show "$tmp/out"
    fi
}

update=
if [ "${1:-}" = -u ]; then update="-i -y"; shift; fi
find_binary
find_cram
list_files "${@:-$tests/t}"
set -- $files
[ $# -gt 0 ] || die "no test files"
chmod 711 "$tmp"        # servers may run as another user
mkdir -p "$tmp/bin" "$tmp/home" "$tmp/tests/t"
ln -s "$binary" "$tmp/bin/sysbench"
ln -s "$(dirname "$binary")/pstime" "$tmp/bin/pstime"
for program in sysbench-flame burn_fp burn_nofp; do ln -s "$(dirname "$binary")/$program" "$tmp/bin/$program"; done
ln -s "$tests/include" "$tests/data" "$tmp/tests/"
if ! command -v psql >/dev/null; then     # beside the server, where install-deps unpacked both
    for file in "${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}" /var/cache; do
        for file in "$file"/sysbench-tx/postgresql/usr/lib/postgresql/*/bin/psql; do
            if [ -x "$file" ]; then ln -sf "$file" "$tmp/bin/psql"; fi
        done
    done
fi
start_server mysql "${DBSERVER_ENGINE:-mariadb}" --max-connections=600 --innodb-buffer-pool-size=64M \
    --innodb-flush-log-at-trx-commit=2
start_server pgsql postgresql --max_connections=600 --fsync=off
find_words
if [ "$tries" -gt 1 ]; then
    pulse &
    pulse_pid=$!
fi
echo "1..$#"
for file; do run_file "$file"; done
if [ -n "${SB_COUNTS:-}" ]; then echo "$passed $failed $skipped$again" >"$SB_COUNTS"; fi
if [ -n "$again" ]; then echo "# $(echo $again | wc -w) needed a second try:$again"; fi
echo "# $passed passed, $failed failed, $skipped skipped"
if [ $failed -gt 0 ]; then exit 1; fi
if [ $passed = 0 ]; then exit 77; fi
