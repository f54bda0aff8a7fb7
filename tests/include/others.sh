# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shell pieces for the cram tests of other people's workloads:   . "$TESTDIR/../include/others.sh"

. "$TESTDIR/../include/workers.sh"

# wholesale HOW ARGUMENT...: tests/sidebyside/lua/wholesale.lua on three sets, prepared by two
# threads, run by four clients that are carried so (workers.sh), checked and dropped; says what
# differs from a good end
wholesale() {
    wholesale_how=$(carried "$1")
    shift
    set -- "$SB_SOURCE/tests/sidebyside/lua/wholesale.lua" "$@" --sets=3
    sysbench "$@" --threads=2 prepare >out 2>err || echo "prepare: exit $?"
    [ "$(grep -c 'is loaded$' out)" = 3 ] || cat out
    # shellcheck disable=SC2086      # several options
    sysbench "$@" $wholesale_how --threads=4 --events=300 --time=0 run >out 2>>err ||
        echo "run: exit $?"
    [ "$(figure 'total number of events')" = 300 ] || cat out
    sysbench "$@" check >check.out 2>>err || echo "check: exit $?"
    tail -n 1 check.out
    sysbench "$@" cleanup >cleanup.out 2>>err || { echo "cleanup: exit $?"; cat cleanup.out; }
    cat err
}
