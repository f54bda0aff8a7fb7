No output shows a password: every format, the reports on standard output, messages, the process list.

  $ . "$TESTDIR/../include/report.sh"
  $ metrics() { python3 "$TESTDIR/../include/metrics.py" "$@"; }
  $ cat >own.lua <<'END'
  > sysbench.cmdline.options = {vault_password = {"a secret", ""}}
  > ffi.cdef("int usleep(unsigned)")
  > function event() assert(sysbench.opt.vault_password == "sesame"); ffi.C.usleep(1000) end
  > END
  $ echo 'pgsql-password=sesame' >options
  $ secrets() { echo --config-file=options --mysql-password=sesame --drizzle-password=sesame --vault-password=sesame \
  >   --pgsql-db=postgresql://me:sesame@h/d
  > }

All formats that there are, by their own list, and everything else that is written while a run goes on.

  $ formats=$(sysbench own.lua --report-file=x run 2>&1 | sed -n 's/.*formats are \(.*\), as FORMAT:PATH.*/\1/p' | tr -d ,)
  $ echo $formats
  text csv summary-csv checkpoints-csv steps-csv stages-csv ranks-csv hosts-csv json jsonl html hlog prometheus openmetrics
  $ mkdir reports; set --; for f in $formats; do set -- "$@" --report-file=$f:reports/$f; done
  $ if sysbench --version --verbose | grep -q '^libmicrohttpd: no'; then listen=; else listen=--metrics-listen=0; fi
  $ sysbench own.lua $(secrets) --time=250 --report-interval=0.2 --report-checkpoints=1 --tx-rate=100 \
  >   --tx-find="p99<1s" --verbosity=5 --debug --validate \
  >   --report-environment --raw-log=reports/raw --label=host=here "$@" $listen \
  >   --at=0.1 --do='true --password=sesame' --at=0.2 --do='test "postgresql://me:sesame@h" = ""' \
  >   --at=0.3 --do=': sshpass -p sesame ssh -p 22 h; : curl -u "me:sesame" h; : other' run >reports/out 2>reports/err & pid=$!
  $ wait_for reports/out '^\[ .*s ]' 3
  $ tr '\0' '\n' </proc/$pid/cmdline >reports/cmdline
  $ if [ "$listen" ]; then metrics until "$(sed -n 's/^Metrics: //p' reports/out)" ^sysbench_ reports/scraped; fi
  $ wait_for reports/out "WARNING: --at=0.2: .* failed"
  $ kill $pid; wait $pid
  [143]
  $ for f in $formats raw out cmdline; do test -s reports/$f || echo "no $f"; done
  $ grep -l -a sesame reports/* | grep -v cmdline
  [1]

The process list hides the passwords of the program's own options, and commands whole. Options of a script are not known so early.

  $ grep -e sesame -e --do reports/cmdline | paste -sd ' '
  --vault-password=sesame --do=*** --do=*** --do=***

What was masked has the same form everywhere.

  $ values reports/json $(for o in mysql-password pgsql-password vault_password pgsql-db do; do echo run.options.effective.$o; done)
  "***" "***" "***" "postgresql://me:***@h/d" "true --password=***\ntest \"postgresql://me:***@h\" = \"\"\n: sshpass -p *** ssh -p 22 h; : curl -u \"me:***\" h; : other"
  $ report get reports/json run.command_line | grep -o '[a-z-]*password=[^" ]*' | tee words
  --mysql-password=***
  --drizzle-password=***
  --vault-password=***
  --password=***
  $ sed -n 's/.*client.command: *//p' reports/out | grep -o '[a-z-]*password=[^" ]*' | diff words -
  $ grep -o 'test "postgresql[^ ]*' reports/out | sort -u
  test "postgresql://me:***@h"

A server that refuses, and one that is not there.

  $ for d in mysql pgsql; do
  >   sysbench oltp_point_select --db-driver=$d --$d-host=127.0.0.1 --$d-port=1 --mysql-debug --db-debug --verbosity=5 \
  >     $(secrets | sed 's/--vault[^ ]* //') run >$d.out 2>&1
  >   echo $? $(grep -c sesame $d.out)
  > done
  1 0
  1 0

Options that are typed in another way than they are meant.

  $ for a in -mysql-password=sesame password=sesame --my-password=sesame '--mysql-password = sesame'; do
  >   for order in "own.lua run" "run" ""; do sysbench "$a" $order >typed 2>&1 </dev/null; grep -h -i password typed; done
  > done
  Unrecognized command line argument: -mysql-password=***; did you mean --mysql-password=***?
  FATAL: Cannot find benchmark '-mysql-password=***': no such built-in test, file or module; did you mean --mysql-password=***?
  FATAL: Cannot find benchmark '-mysql-password=***': no such built-in test, file or module; did you mean --mysql-password=***?
  Unrecognized command line argument: run (after the test 'password=***' and the command 'own.lua')
  FATAL: Cannot find benchmark 'password=***': no such built-in test, file or module; 'sysbench --help' lists the tests
  FATAL: Cannot find benchmark 'password=***': no such built-in test, file or module; 'sysbench --help' lists the tests
  invalid option: --my-password=***; did you mean --mysql-password?
  invalid option: --mysql-password = ***; did you mean --mysql-password?
  [1]
  $ sysbench own.lua run mysql-password=sesame >typed 2>&1; grep -h -i password typed
  Unrecognized command line argument: mysql-password=***; did you mean --mysql-password=***?
  $ sysbench -mysql-password=sesame --help 2>&1 >typed; ! grep sesame typed
  Cannot find benchmark '-mysql-password=***': no such built-in test, file or module; did you mean --mysql-password=***?
