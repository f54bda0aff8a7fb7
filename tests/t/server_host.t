The machine's columns: --host-stats.
Runs alone: it compares figures of the whole machine that are read at different times.

  $ . "$TESTDIR/../include/report.sh"
  $ naps 10000 idle.lua
  $ run() { sysbench "$@" --verbosity=4 run >out 2>err; exited $?; cat err; }
  $ block() { sed -n '/^Host:/,/^$/p' out; }
  $ column() { block | grep -v -e 'mean:' -e transaction | sed -n \
  >   "s/^    .*: .* $1 \([0-9.]*\).*/\1/p;s/^    .*:  *$1 \([0-9.]*\).*/\1/p"
  > }

The interval line has vmstat's columns in vmstat's order, then what vmstat does not show.

  $ run idle.lua --host-stats --threads=2 --tx-rate=50 --time=2 --report-interval=1 --report-style=full --report-file=a.json
  $ grep '^\[.* thds: ' out | sed -E 's/.*\| host/host/; s/ (n\/a|[0-9]+(\.[0-9]+)?)/ N/g' | uniq
  host r N b N swpd N free N buff N cache N si N so N bi N bo N in N cs N us N sy N id N wa N st N | disk rd N wr N | net rx N tx N | psi cpu N io N mem N | mhz N throttled N | W pkg N dram N bat N | data r/s N w/s N f/s N r_await N w_await N f_await N util N aqu-sz N | log r/s N w/s N f/s N r_await N w_await N f_await N util N aqu-sz N
  $ block | sed -E 's/^(Host:).*/\1/; s/^(    .*: ) .*$/\1/; s/ +$//'
  Host:
      threads at the end:
      threads, mean:
      memory at the end, KiB:
      memory, KiB, mean:
      paging, KiB per sec.:
      per sec.:
      per transaction:
      CPU, %:
      disks, bytes per sec.:
      network, bytes per sec.:
      pressure, % of the time:
      CPU frequency at the end:
      server's quota, % of one CPU:
      power, W:
      energy per transaction, J:
      data's disk:
      log's disk:
  
  $ block |
  >   grep -vE \
  >     '^Host: [0-9]+ CPUs, governor [a-z_/]+$|^    [^:]+:  +((r|swpd|si|in|us|rd|rx|cpu|mhz|throttled|pkg) ([0-9.]+|n/a)( '\
  > '[a-z]+ ([0-9.]+|n/a))*|n/a \([^)]+\))$'
  

By default what this machine does not have is named in one line, and nothing is wider than 80 columns.

  $ sysbench idle.lua --host-stats --time=1 run | sed -n '/^Host:/,/^$/p' >brief & COLUMNS=400 \
  >   sysbench idle.lua --host-stats --time=1 --report-interval=0.5 --report-style=table run >table; wait
  $ awk 'length($0) > 80' brief
  $ block | sed -n 's/^    \([^:]*\):.* n\/a (.*/\1/p' | while read -r line; do
  >   unwrap <brief | grep -q "^    n/a:.*$line" || echo "$line is not named"; grep -q "^    $line:" brief && echo "$line has a line"
  > done; grep -c '^    CPU, %:  *us' brief
  1

CPU shares are shares of everything there is.

  $ for c in us sy id wa st; do column $c; done | awk '{ s += $1 } END { print (s > 99 && s < 101) }'
  1

So what others had is of the run, and of an interval, not of all time since the machine's start.

  $ python3 -c 'if True:
  >     import json; report = json.load(open("a.json"))
  >     for part in report["summary"], report["intervals"][0]:
  >         client, host = part["client"], part["host"]
  >         names = "cpu_user_pct", "cpu_system_pct", "machine_others_pct", "machine_stolen_pct"
  >         others = sum(client[name] for name in names)
  >         print(abs(others + host["cpu_idle_pct"] + host["cpu_iowait_pct"] - 100) < 10)'
  True
  True

Levels have a mean, of the readings that the intervals show; a transaction has its part of the machine's interrupts and switches.

  $ python3 "$TESTDIR/../include/cram_server_host.py"
  threads_runnable_mean True True
  memory_free_mean_bytes True True
  $ report machine a.json + reasons a.json; grep -o '"\(power\|energy\)_[a-z_]*"' a.json | sort -u | wc -l
  6

In a table, vmstat's columns are a block in vmstat's order.

  $ grep -m 1 'time s' table | grep -o ' r  .*st%' | sed 's/  */ /g'
   r b swpd free buff cache si so bi bo in/s cs/s us% sy% id% wa% st%

vmstat beside it sees the same.

  $ if command -v vmstat >/dev/null; then
  >   vmstat 3 2 >vm & run cpu --threads=1 --time=3 --host-stats; wait
  >   set -- $(tail -n 1 vm)   # r b swpd free buff cache si so bi bo in cs us sy id wa st
  >   near() { timed $(awk "BEGIN { print $2 * 0.8 - $3, $2 * 1.2 + $3 }") "$1"; }
  >   near "$(column cs)" ${12} 500; near "$(column in)" ${11} 500
  >   near "$(column us)" ${13} 8; near "$(column id)" ${15} 8
  >   near "$(column free)" $4 200000; near "$(column cache)" $6 200000
  > else echo exit 0; fi

Off by default, and a switch.

  $ run idle.lua --events=10; ! grep '^Host' out
  $ run idle.lua --events=10 --host-stats=off; ! grep '^Host' out
  $ run idle.lua --events=10 --host-stats=perhaps
  exit 1
  invalid option: --host-stats=perhaps (allowed: on, off)
