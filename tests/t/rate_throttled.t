A CPU quota stops the load generator, not the server: the report says so.
Runs alone: it fills its quota of CPU time, and how soon depends on nothing else.

  $ . "$TESTDIR/../include/rate.sh"
  $ echo 'function event() for i = 1, 3e6 do end end' >busy.lua
  $ cat >figures.py <<'EOF'
  > import json, sys
  > d = json.load(open(sys.argv[1]))["summary"]["client"]
  > print("periods", d["throttled_periods"] if d["throttled_periods"] is None else d["throttled_periods"] > 0)
  > print("share", d["throttled_pct"] if d["throttled_pct"] is None else d["throttled_pct"] > 0)
  > print("why", d.get("missing", {}).get("throttled_periods"))
  > EOF

A group with a tenth of a CPU, where this machine lets us make one.

  $ if test -e /sys/fs/cgroup/cgroup.controllers; then root=/sys/fs/cgroup; else root=/sys/fs/cgroup/cpu; fi
  $ group=$root/sb-throttled-$$; mkdir "$group" 2>made || skip "$(cat made)"
  $ test -e "$group/cpu.max" -o -e "$group/cpu.cfs_quota_us" || { rmdir "$group"; skip "no limit of CPU time in $root"; }
  $ if test -e "$group/cpu.max"; then echo '10000 100000' >"$group/cpu.max"; else echo 10000 >"$group/cpu.cfs_quota_us"; fi
  $ sysbench busy.lua --tx-rate=10 --time=1 --report-file=b.json run >without & without=$!
  $ sh -c \
  >   'echo 0 >"$0/cgroup.procs" && exec sysbench busy.lua --tx-rate=1000 --tx-spin=0 --time=2 --report-file=a.json,a.txt,a.prom run' \
  >   "$group" >out
  > echo $?
  0
  $ for i in $(seq 100); do rmdir "$group" 2>/dev/null && break; sleep 0.1; done; test -e "$group"
  [1]
  $ accounts
  $ unwrap <out | sed -n 's/for [0-9.]* s/for N s/; s/: its 0.1 CPUs do [0-9]*.s at most//; s/; then .* limit.*//
  > s/^ *sustained: *//p; s/^ *WARNING: a CPU/WARNING: a CPU/p' >got
  $ timed_diff - got <<'END' # on a machine that stands still it uses up no quota
  > no: a CPU quota stopped the load generator for N s; raise the quota of its control group or lower the rate
  > WARNING: a CPU quota stopped the load generator for N s
  > END
  $ python3 figures.py a.json >got; sed -n 's/^ *throttled by a CPU quota: *[0-9.]* s, [0-9]* periods/in the text/p' a.txt >>got
  $ timed_diff - got <<'END'
  > periods True
  > share True
  > why None
  > in the text
  > END
  $ grep -c '^sysbench_client_throttled_periods_total' a.prom
  1

Without a quota the figures do not exist, and nothing is said.

  $ wait $without; exited $?; ! grep quota without
