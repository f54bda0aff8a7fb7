The figures of the last report over HTTP: --metrics-listen.

  $ . "$TESTDIR/../include/report.sh"
  $ metrics() { python3 "$TESTDIR/../include/metrics.py" "$@"; }
  $ naps 1000 sleep.lua
  $ fails() { sysbench sleep.lua --time=1 --report-file=new.json "$@" run >out 2>err; exited $?
  > grep -h FATAL out err; ls new.json 2>/dev/null; grep Init out; true; }

A program without the library says what to do; nothing more can be tested then.

  $ if sysbench --version --verbose | grep -q '^libmicrohttpd: no'; then
  >   fails --report-interval=1 --metrics-listen=0 |
  >     grep -q 'metrics-listen needs libmicrohttpd, which this program was built without' || cat out
  >   skip 'built without libmicrohttpd'; fi

What cannot be is one sentence before anything starts.

  $ for a in x:y 192.0.2.1:8080; do fails --report-interval=1 --metrics-listen="$a"; done
  exit 1
  FATAL: Invalid value for --metrics-listen: 'x:y' (HOST:PORT, HOST or PORT, with a port from 0 to 65535)
  exit 1
  FATAL: --metrics-listen=192.0.2.1:8080: cannot listen on 192.0.2.1 port 8080: Cannot assign requested address
  $ fails --metrics-listen=0
  exit 1
  FATAL: --metrics-listen=0 needs --report-interval=N: it serves the figures of the last report

From before the first interval on; port 0 is any, only a port means this host only.

  $ start() { : >out; sysbench sleep.lua --time=250 --threads=2 "$@" run >out 2>err & pid=$!; wait_for out '^Metrics: '
  > url=$(sed -n 's/^Metrics: //p' out); }
  $ finish() { kill $pid; wait $pid; exited $?; cat err; }
  $ start --report-interval=500 --metrics-listen=0
  $ echo $url | mask
  http://N.N.N.N:N/metrics
  $ metrics until $url '_seconds_count' first; sed -n '/start_time/s/ [0-9.]*$/ N/; /^sysbench_run/p; /interval/p; /_count/p' first
  sysbench_run_active{test="sleep.lua"} 1
  sysbench_run_info{test="sleep.lua",command="run",version=*} 1 (glob)
  sysbench_run_start_time_seconds{test="sleep.lua"} N
  sysbench_transaction_latency_seconds_count{test="sleep.lua"} 0

Its port is taken, and nobody else's.

  $ port=${url%/metrics}; port=${port##*:}
  $ fails --report-interval=1 --metrics-listen=127.0.0.1:$port | sed "s/$port/PORT/g"
  exit 1
  FATAL: --metrics-listen=127.0.0.1:PORT: cannot listen on 127.0.0.1 port PORT: Address already in use
  $ for m in GET HEAD POST; do metrics answer $url $m; done
  200 OK | text/plain; version=0.0.4; charset=utf-8 | body 
  200 OK | text/plain; version=0.0.4; charset=utf-8 | no body 
  405 Method Not Allowed | text/plain; charset=utf-8 | body | GET, HEAD
  $ metrics answer ${url%metrics} GET; metrics answer ${url}x HEAD
  200 OK | text/html; charset=utf-8 | body 
  404 Not Found | text/plain; charset=utf-8 | no body 

Who asks for OpenMetrics gets it: Prometheus, and whoever names it. Others get the text format.

  $ accept() { metrics answer $url GET "$1" | cut -d'|' -f2; }
  $ accept \
  >   'application/openmetrics-text;version=1.0.0;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,'\
  > 'text/plain;version=0.0.4;q=0.3,*/*;q=0.2'
   application/openmetrics-text; version=1.0.0; charset=utf-8 
  $ metrics answer $url HEAD application/openmetrics-text
  200 OK | application/openmetrics-text; version=1.0.0; charset=utf-8 | no body 
  $ accept '*/*'
   text/plain; version=0.0.4; charset=utf-8 

A scraper that stops in the middle keeps nobody waiting, at the end neither.

  $ python3 "$TESTDIR/../include/metrics.py" stall $url >stalled 2>&1 & stalled=$!
  $ wait_for stalled stalled; metrics until $url '_seconds_count' second; cmp first second
  $ finish
  exit 143
  $ { kill $stalled; wait $stalled; } 2>/dev/null
  [143]
  $ metrics until $url '_seconds_count' third 2>&1 | grep -o 'Connection refused' | tail -n 1
  Connection refused

While reports come in, every scrape is all of one of them.

  $ start --report-interval=0.1 --metrics-listen=127.0.0.1:0 --report-file=a.prom
  $ metrics steady $url 8
  $ metrics until $url '^sysbench_elapsed_seconds' text
  $ finish
  exit 143
  $ sed -n 's/ .*//; /^sysbench/p' text | sed 's/{.*//' | sort -u >served
  > sed -n 's/ .*//; /^sysbench/p' a.prom | sed 's/{.*//' | sort -u >filed
  $ comm -23 served filed

What counts from the start is a counter, named so in the text format and without its ending in OpenMetrics. Every sample has the labels
of the run. Which metrics there are, and of which types, is in tests/data/golden/formats.txt.

  $ sysbench sleep.lua --threads=2 --tx-rate=100 --events=100 --time=60 --report-interval=0.5 --server=$$ \
  >   --server-events=page-faults --label=env=prod \
  >   --label='note=a "b" \c' --report-file=a.json,b.prom,b.om run >out 2>err; exited $?; cat err; report agree a.json b.prom b.om
  $ metrics table b.om |
  >   awk '{ print $1 ($2 == "counter" ? "_total" : $2 == "info" ? "_info" : ""), $2 == "info" ? "gauge" : $2 }' |
  >   sort >om
  $ metrics table b.prom | sort | diff om -
  $ ! grep '^sysbench' b.prom | grep -v '{test="sleep.lua",env="prod",note="a \\"b\\" \\\\c"[,}]'
  $ grep -v '^#' b.prom >samples; grep -v '^#' b.om | diff samples -; grep -c '^# UNIT\|^# EOF' b.prom; tail -n 1 b.om
  0
  # EOF
  $ grep '^sysbench_\(transactions\|scheduled\|late_\|client_cpu_s\)' b.prom |
  >   sed 's/test.*note="[^,}]*",*//; s/ 0\.[0-9]*/ N/; /cpu/s/ 0$/ N/'
  sysbench_transactions_total{} 100
  sysbench_scheduled_transactions_total{outcome="done"} 100
  sysbench_scheduled_transactions_total{outcome="failed"} 0
  sysbench_scheduled_transactions_total{outcome="dropped"} 0
  sysbench_late_transactions_total{} * (glob)
  sysbench_client_cpu_seconds_total{mode="user"} N
  sysbench_client_cpu_seconds_total{mode="system"} N

The reference parsers of both formats and promtool read it (where they are installed).

  $ for f in b.prom b.om
  > do
  >   metrics parse $f >families
  >   [ $? = 80 ] || {
  >     sort families | sed 's/_total//' >names
  >     metrics table $f | awk '{ sub("_total$", "", $1); print $2, $1 }' | sort | diff names -
  >   }
  > done
  $ ! command -v promtool >/dev/null || promtool check metrics <b.prom

A total never falls, and it grows with the server's CPU time, not with the reports.

  $ sysbench cpu --time=2 --report-interval=0.25 --report-checkpoints=1 --server=$$ --report-file=a.json,c.prom run \
  >   >out 2>err
  > exited $?; report agree a.json c.prom

With checkpoints alone the latencies are counted as the transactions are.

  $ rm c.prom; sysbench sleep.lua --time=250 --report-checkpoints=1 --report-file=c.prom run >out 2>err & pid=$!
  $ wait_for c.prom '^sysbench_transactions_total{.*} [1-9]'; { kill -KILL $pid; wait $pid; } 2>/dev/null
  [137]
  $ latencies=$(sed -n 's/^sysbench_transaction_latency_seconds_count.* //p' c.prom)
  > ended=$(sed -n 's/^sysbench_transactions_total.* //p' c.prom)
  $ [ "$latencies" -gt 0 ] && in_range $((ended - 2)) $((ended + 2)) "$latencies"
