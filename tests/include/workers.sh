# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shell pieces for the cram tests of --workers:   . "$TESTDIR/../include/workers.sh"

. "$TESTDIR/../include/rate.sh"

# shape FILE: a report whose numbers are masked, without what --workers adds to it; with deadlocks=maybe without the
# block of retries, too, which is there if there was one
shape() {
    grep -v -e '^Worker threads:' -e 'were nearly saturated' -e 'blocked its worker for ' "$1" |
        sed "${deadlocks:+/^Retries:/,/^\$/d}" | mask | cat -s
}

# alike A B: says nothing when the reports in two files have the same shape
alike() {
    shape "$1" >shape.a
    shape "$2" >shape.b
    diff shape.a shape.b
}

# each_way COMMAND...: calls it with 0, 1 and s (see carried), and prints what it says, once if that is always the same
each_way() {
    for way in 0 1 s; do "$@" $way >way.$way; done
    cat way.0
    diff way.0 way.1
    diff way.0 way.s
}

# counts [FILE]: read, write, other, events, ignored errors, reconnects
# shellcheck disable=SC2046      # one line of words
counts() {
    echo $(figure read "$@") $(figure write "$@") $(figure other "$@") $(figure 'total number of events' "$@") \
        $(figure 'ignored errors' "$@") $(figure reconnects "$@")
}

# carried HOW: options for a thread per client (0), a worker whose clients have their own Lua states (1, client),
# one whose clients share a state (s, worker), two such (workers); a thread that the machine holds up for 100 ms in
# a call has no warning, which would be right but no line of the test
carried() {
    case $1 in
    0) echo --workers=0 ;;
    1 | client) echo --workers=1 --workers=lua-state=client --workers=warn=3000 ;;
    s | worker) echo --workers=1 --workers=lua-state=worker --workers=warn=3000 ;;
    workers) echo --workers=2 --workers=lua-state=worker --workers=warn=3000 ;;
    esac
}

# both NAME ARGUMENT...: runs sysbench with one thread per client, on a worker, and there with one Lua state, into
# NAME.0, NAME.1 and NAME.s; same arguments, same end, same shape
both() {
    both_name=$1
    shift
    for w in 0 1 s; do
        # shellcheck disable=SC2046      # several options
        sysbench "$@" $(carried $w) run >"$both_name.$w" 2>"$both_name.err.$w"
        echo "exit $?" >>"$both_name.$w"
        cat "$both_name.err.$w"
    done
    alike "$both_name.0" "$both_name.1"
    alike "$both_name.0" "$both_name.s"
}
