# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shell pieces for the cram tests of --report-statements:   . "$TESTDIR/../include/statements.sh"

. "$TESTDIR/../include/report.sh"

# kinds FILE.json: a line for each kind: class, how often, errors, rows, name
kinds() {
    python3 - "$1" <<'END_OF_PROGRAM'
import json, sys
for k in json.load(open(sys.argv[1]))["summary"]["statements"]:
    print(k["class"], k["count"], k["errors"], k["rows"], k["kind"])
END_OF_PROGRAM
}

# sound FILE.json: what must hold of any run; says what does not
sound() {
    valid "$1" || [ $? = 80 ] || echo invalid
    adds_up "$1"
}

# adds_up FILE.json: the same without its schema, which takes longer than the rest
adds_up() {
    python3 - "$1" <<'END_OF_PROGRAM'
import json, sys
summary = json.load(open(sys.argv[1]))["summary"]
statements = [k for k in summary["statements"] if k["class"] not in ("connect", "prepare")]
done = sum(k["count"] - k["errors"] for k in statements)
counted = sum(summary["total"][n] for n in ("reads", "writes", "other"))
# those that the driver sends after an error are executed like others, but are none of the script's
rollbacks = sum(k["count"] - k["errors"] for k in statements if k["kind"] == "ROLLBACK")
if not 0 <= done - counted <= rollbacks:
    print("statements by kind: %d, counted: %d" % (done, counted))
for k in summary["statements"]:
    times = [k[n] for n in ("min_s", "p50_s", "p95_s", "p99_s", "max_s")]
    if times != sorted(times) or not k["min_s"] <= k["mean_s"] * 1.001 or not k["mean_s"] <= k["max_s"] * 1.001:
        print("times of", k["kind"], "are not in order:", times, k["mean_s"])
    if (k["share_pct"] is None) != (k["class"] in ("connect", "prepare")):
        print("share of", k["kind"], "is", k["share_pct"])
if not 0 < sum(k["share_pct"] for k in statements) <= 100.1:
    print("shares:", [k["share_pct"] for k in statements])
END_OF_PROGRAM
}

# of_20: says nothing when its input is the kinds of 20 transactions of oltp_read_write; N: any number
of_20() {
    sed -E 's/^(prepared 20 0) [0-9]+ ((simple|order|distinct)_ranges)$/\1 N \2/' >kinds.20
    diff - kinds.20 <<'END'
prepared 200 0 200 point_selects
prepared 20 0 N simple_ranges
prepared 20 0 20 sum_ranges
prepared 20 0 N order_ranges
prepared 20 0 N distinct_ranges
prepared 20 0 20 index_updates
prepared 20 0 20 non_index_updates
prepared 20 0 20 deletes
prepared 20 0 20 inserts
transaction 20 0 0 BEGIN
transaction 20 0 0 COMMIT
connect 1 0 0 connect
prepare 20 0 0 prepare
END
}

# block FILE: kinds in the text report, in its order
block() { sed -n '/^Statements by kind/,/^$/p' "$1" | sed -E '1,2d; /^ +\* of fewer/d; s/^( +[0-9.]+\*?){5,9} +(-|[0-9.]+%)  //'; }
