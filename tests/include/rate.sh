# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shell pieces for the cram tests that read reports:   . "$TESTDIR/../include/rate.sh"

. "$TESTDIR/../include/common.sh"

# figure LABEL [FILE]: the first number behind LABEL (an extended regular expression) in the last report
figure() {
    sed -n -E "s|^ *$1: *([0-9.]+).*|\1|p" "${2:-out}" | tail -n 1
}

# series response|service|lag p50|p95|p99|max|mean [FILE]: ms
series() {
    awk -v row="$1" -v what="$2" 'BEGIN { col["p50"] = 2; col["p95"] = 3; col["p99"] = 4; col["max"] = 5; col["mean"] = 6 }
        $1 == row && NF == 6 { print $col[what] }' "${3:-out}"
}

# accounts [FILE]: says nothing when offered = done + failed + dropped + unfinished holds at the end of every
# interval and of the run, and when the intervals do not add up to more than the run
accounts() {
    awk '
    /^\[.*\| offered / {
        for (i = 1; i < NF; i++)
            if ($i ~ /^(offered|done|failed|dropped|unfinished)$/)
                v[$i] = $(i + 1)
        offered += v["offered"]; ended += v["done"] + v["failed"] + v["dropped"]
        if (offered != ended + v["unfinished"])
            print "interval " $2 ": offered " offered ", ended " ended ", unfinished " v["unfinished"]
    }
    /^    (offered|done|failed|dropped|unfinished): / { total[substr($1, 1, length($1) - 1)] = $2; blocks++ }
    /ALERT|figures? hidden/
    END {
        if (blocks != 5)
            print "no accounts"
        if (total["offered"] != total["done"] + total["failed"] + total["dropped"] + total["unfinished"])
            print "at the end: offered " total["offered"] ", done " total["done"] ", failed " total["failed"] \
                ", dropped " total["dropped"] ", unfinished " total["unfinished"]
        if (offered > total["offered"])
            print "the intervals offered " offered ", the run " total["offered"]
    }' "${1:-out}"
}
