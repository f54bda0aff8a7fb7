The figures of the last report over HTTP: --metrics-listen.

  $ . "$TESTDIR/../include/report.sh"
  $ metrics() { python3 "$TESTDIR/../include/metrics.py" "$@"; }
  $ cat >sleep.lua <<'END'
  > ffi.cdef("int usleep(unsigned)")
  > function event() ffi.C.usleep(1000) end
  > END
  $ fails() { sysbench sleep.lua --time=1 --report-file=new.csv "$@" run >out 2>err; echo "exit $?"; grep -h FATAL out err; ls new.csv 2>/dev/null; grep Init out; true; }

A program without the library says what to do; nothing more can be tested then.

  $ if sysbench --version --verbose | grep -q '^libmicrohttpd: no'; then
  >   fails --report-interval=1 --metrics-listen=0 | grep -q 'metrics-listen needs libmicrohttpd, which this program was built without' || cat out
  >   exit 80; fi

What cannot be is one sentence before anything starts.

  $ for a in x:y 70000 127.0.0.1:99999 192.0.2.1:8080 '[::1' '[::1]x'; do fails --report-interval=1 --metrics-listen="$a"; done
  exit 1
  FATAL: Invalid value for --metrics-listen: 'x:y' (HOST:PORT, HOST or PORT, with a port from 0 to 65535)
  exit 1
  FATAL: Invalid value for --metrics-listen: '70000' (HOST:PORT, HOST or PORT, with a port from 0 to 65535)
  exit 1
  FATAL: Invalid value for --metrics-listen: '127.0.0.1:99999' (HOST:PORT, HOST or PORT, with a port from 0 to 65535)
  exit 1
  FATAL: --metrics-listen=192.0.2.1:8080: cannot listen on 192.0.2.1 port 8080: Cannot assign requested address
  exit 1
  FATAL: Invalid value for --metrics-listen: '[::1' (an address in brackets goes on with :PORT or ends)
  exit 1
  FATAL: Invalid value for --metrics-listen: '[::1]x' (an address in brackets goes on with :PORT or ends)
  $ fails --metrics-listen=0
  exit 1
  FATAL: --metrics-listen=0 serves the figures of the last report: give --report-interval=N too

From before the first interval on; port 0 is any, only a port means this host only.

  $ start() { sysbench sleep.lua --time=250 --threads=2 "$@" run >out 2>err & pid=$!; wait_for out '^Metrics: '; url=$(sed -n 's/^Metrics: //p' out); }
  $ finish() { kill -INT $pid; wait $pid; echo "exit $?"; cat err; }
  $ start --report-interval=500 --metrics-listen=0
  $ echo $url | mask
  http://N.N.N.N:N/metrics
  $ metrics until $url '# EOF' first; sed -n 's/ [0-9]*\.[0-9]*$/ N/; /^sysbench_run/p; /interval/p; /_count/p' first
  sysbench_run_active{test="sleep.lua"} 1
  sysbench_run_info{test="sleep.lua",command="run",version=*} 1 (glob)
  sysbench_run_start_time_seconds{test="sleep.lua"} N
  sysbench_transaction_latency_seconds_count{test="sleep.lua"} 0

Its port is taken, and nobody else's.

  $ port=${url%/metrics}; port=${port##*:}
  $ fails --report-interval=1 --metrics-listen=127.0.0.1:$port | sed "s/$port/PORT/g"
  exit 1
  FATAL: --metrics-listen=127.0.0.1:PORT: cannot listen on 127.0.0.1 port PORT: Address already in use
  $ for m in GET HEAD POST DELETE; do metrics answer $url $m; done
  200 OK | application/openmetrics-text; version=1.0.0; charset=utf-8 | body 
  200 OK | application/openmetrics-text; version=1.0.0; charset=utf-8 | no body 
  405 Method Not Allowed | text/plain; charset=utf-8 | body | GET, HEAD
  405 Method Not Allowed | text/plain; charset=utf-8 | body | GET, HEAD
  $ metrics answer ${url%metrics} GET; metrics answer ${url}x HEAD
  404 Not Found | text/plain; charset=utf-8 | body 
  404 Not Found | text/plain; charset=utf-8 | no body 

A scraper that stops in the middle keeps nobody waiting, at the end neither.

  $ python3 "$TESTDIR/../include/metrics.py" stall $url >stalled 2>&1 & stalled=$!
  $ wait_for stalled stalled; metrics until $url '# EOF' second; cmp first second
  $ finish
  exit 130
  $ { kill $stalled; wait $stalled; } 2>/dev/null
  [143]
  $ metrics until $url '# EOF' third 2>&1 | grep -o 'Connection refused' | tail -n 1
  Connection refused

While reports come in, every scrape is all of one of them.

  $ start --report-interval=0.1 --metrics-listen=127.0.0.1:0 --report-file=a.prom
  $ metrics steady $url 8
  $ metrics until $url '^sysbench_interval_transactions_per_second' text; tail -n 1 text
  # EOF
  $ finish
  exit 130
  $ sed -n 's/ .*//; /^sysbench/p' text | sed 's/{.*//' | sort -u >served; sed -n 's/ .*//; /^sysbench/p' a.prom | sed 's/{.*//' | sort -u >filed
  $ comm -23 served filed

Parsers read it (where the reference parser is installed).

  $ metrics parse text >families; [ $? = 80 ] || { [ $(wc -l <families) -gt 20 ] && grep -e latency_seconds -e run_active -e ' sysbench_transactions$' families; } >known
  $ [ ! -s known ] || printf "gauge sysbench_run_active\ncounter sysbench_transactions\nhistogram sysbench_transaction_latency_seconds\n" | diff - known

With checkpoints alone the latencies are counted as the transactions are.

  $ sysbench sleep.lua --time=250 --report-checkpoints=1 --report-file=c.prom run >out 2>err & pid=$!
  $ wait_for c.prom '^sysbench_transactions_total{.*} [1-9]'; { kill -KILL $pid; wait $pid; } 2>/dev/null
  [137]
  $ latencies=$(sed -n 's/^sysbench_transaction_latency_seconds_count.* //p' c.prom); ended=$(sed -n 's/^sysbench_transactions_total.* //p' c.prom)
  $ [ "$latencies" -gt 0 ] && between $((ended - 2)) $((ended + 2)) "$latencies"
