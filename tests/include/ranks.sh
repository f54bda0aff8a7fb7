# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shell pieces for the cram tests of several ranks on one host:   . "$TESTDIR/../include/ranks.sh"

SYSBENCH_CLUSTER_SECRET="of this test"
export SYSBENCH_CLUSTER_SECRET

# free_port: one below those that the kernel gives to connections, and that nobody listens on
free_port() { python3 "$TESTDIR/../include/free_port.py"; }

# ranks N ARGUMENT...: a sysbench for each rank.  What they wrote is in out.R and err.R; says each exit status but 0.
# $more_R: further arguments of rank R; $program_R: another program.
ranks() {
    ranks_n=$1
    shift
    ranks_port=$(free_port)
    ranks_pids=
    ranks_r=$((ranks_n - 1))
    while [ "$ranks_r" -ge 0 ]; do
        : >"out.$ranks_r"
        : >"err.$ranks_r"
        ranks_more='' ranks_program=''
        eval "ranks_more=\${more_$ranks_r:-} ranks_program=\${program_$ranks_r:-sysbench}"
        # shellcheck disable=SC2086      # several options
        "$ranks_program" --cluster="127.0.0.1:$ranks_port" --cluster-size="$ranks_n" --cluster-rank="$ranks_r" \
            "$@" $ranks_more >"out.$ranks_r" 2>"err.$ranks_r" &
        ranks_pids="$! $ranks_pids"
        ranks_r=$((ranks_r - 1))
    done
    for ranks_pid in $ranks_pids; do
        ranks_r=$((ranks_r + 1))
        wait "$ranks_pid" || echo "rank $ranks_r: exit $?"
    done
}

# errors: what the ranks wrote to stderr, with the host's name as HOST
errors() { sed '/^Interrupted (SIG/d' err.* | sed "s/($(uname -n))/(HOST)/g"; }
