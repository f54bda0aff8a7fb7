Result files: names, formats, and what may go wrong before the run.

  $ . "$TESTDIR/../include/report.sh"
  $ naps 1000 sleep.lua
  $ fails() { refused sleep.lua --time=1 "$@" run | grep -e FATAL -e ALERT -e exit; }

What cannot be is one sentence before anything happens, and no file is touched: the good one beside it either.

  $ echo precious >old.csv; mkdir folder; echo precious >locked.csv; chmod 400 locked.csv
  $ for f in x.xml csv:folder json:old.csv; do fails --report-file=old.csv,$f; done
  FATAL: Invalid value for --report-file: 'x.xml' (its suffix names no format; formats are text, csv, summary-csv, checkpoints-csv, steps-csv, stages-csv, ranks-csv, hosts-csv, json, jsonl, html, hlog, prometheus, openmetrics, as FORMAT:PATH or by the suffix)
  FATAL: --report-file=csv:folder: 'folder' is a directory
  FATAL: Invalid value for --report-file: 'old.csv' is named twice

Nor may two options write to one file, whatever it is called.

  $ ln -s old.csv other.name; mkfifo pipe
  $ fails --report-interval=1 --report-file=old.csv --raw-log=other.name; fails --report-file=json:new --raw-log=./new
  FATAL: --report-file and --raw-log name the same file: 'other.name'
  FATAL: --report-file and --raw-log name the same file: './new'
  $ fails --report-file=jsonl:pipe --mark-on=./pipe
  FATAL: --report-file and --mark-on name the same file: './pipe'
  $ sysbench sleep.lua --time=1 --report-file=into.txt run >into.txt 2>&1 || grep FATAL into.txt; rm into.txt pipe other.name
  FATAL: --report-file: standard output is redirected into 'into.txt'
  $ ls new 2>&1; cat old.csv
  ls: cannot access 'new': No such file or directory
  precious

  $ fails --report-file=old.csv; fails --report-interval=1 --report-file=old.csv,x.checkpoints.csv
  FATAL: --report-file=old.csv has a row for each interval: give --report-interval=N too, or name the file FILE.summary.csv for a row of the whole run
  FATAL: --report-file=x.checkpoints.csv has a row for each checkpoint: give --report-checkpoints=LIST too
  $ fails --report-interval=1 --report-file=old.csv --label=mode=x; fails --report-interval=1 --report-file=old.csv --raw-log=-
  FATAL: Invalid value for --label: 'mode=x' (the metrics have a label of this name already)
  FATAL: --raw-log=-: a raw log is binary, and standard output is for text
  $ [ "$(id -u)" = 0 ] || fails --report-interval=1 --report-file=locked.csv | grep -v Permission
  $ cat old.csv locked.csv; echo *
  precious
  precious
  err folder locked.csv old.csv out sleep.lua

Neither is it when the test refuses its own options, or with another command.

  $ sysbench fileio --file-test-mode=none --report-interval=1 --report-file=old.csv run >out 2>&1; echo $?; cat old.csv
  1
  precious
  $ sysbench sleep.lua --report-file=new.csv help >out 2>&1; ls new.csv
  ls: cannot access 'new.csv': No such file or directory
  [2]

Formats by suffix or by name, in one list or several options; a file that was there is replaced.

  $ sysbench sleep.lua --time=1 --report-interval=0.5 --report-file=old.csv,a.json --report-file=jsonl:b \
  >   --report-file=c.hlog,folder/d.prom,e.txt,f.summary.csv,folder/g.om run >out 2>err; exited $?; cat err
  $ echo "$(head -c 4 old.csv) $(head -c 10 a.json) $(head -c 14 b) $(sed -n 2p c.hlog) $(tail -n 1 folder/g.om)"
  kind {"schema": {"kind":"run", #[Histogram log format version 1.3] # EOF
  $ echo $(ls folder) $(cut -d, -f1 f.summary.csv)
  d.prom g.om kind summary
  $ sed -n '/^Running/,/^Init.*worker/p;/^\[/,$p' out | grep -v 'worker threads' | grep . >wanted; grep . e.txt | diff wanted -

Rows of a csv file are of one kind, so a column adds up: the intervals to no more than the run, which has its own file,
and so have the checkpoints.
All three have the same columns.

  $ sysbench sleep.lua --threads=2 --time=2 --report-interval=0.5 --report-checkpoints=1 \
  >   --report-file=a.json,a.csv,a.summary.csv,a.checkpoints.csv \
  >   --label=env=prod --label='team=data base,note=a "b"' run >out 2>err; exited $?; cat err
  $ report agree a.json a.csv a.summary.csv a.checkpoints.csv
  $ for f in a.csv a.checkpoints.csv a.summary.csv
  > do tail -n +2 $f | cut -d, -f1 | sort -u; head -n 1 $f >$f.names; done; timed 5 5 $(wc -l <a.csv)
  interval
  checkpoint
  summary
  $ cmp a.csv.names a.summary.csv.names; cmp a.csv.names a.checkpoints.csv.names
  $ sum() { python3 -c 'import csv, sys; print(sum(int(row["transactions"]) for row in csv.DictReader(open(sys.argv[1]))))' $1; }
  $ whole=$(report get a.json summary.total.transactions); timed $((whole * 9 / 10)) $whole $(sum a.csv)
  > [ $(($(sum a.checkpoints.csv) + $(sum a.summary.csv))) = $whole ]

Labels are in all of them: columns at the end, members of the run and of each line of the stream.

  $ tail -n 1 a.summary.csv | grep -o ',prod,.*'; grep -o 'at_least,marks,label_.*' a.csv.names
  ,prod,data base,"a ""b"""
  at_least,marks,label_env,label_team,label_note
  $ sysbench sleep.lua --events=10 --label=env=prod --report-file=a.jsonl run >out 2>err; valid a.jsonl || [ $? = 80 ]
  $ grep -c '"labels":{"env":"prod"}' a.jsonl; wc -l <a.jsonl
  5
  5
  $ values a.json run.labels run.options.effective.label
  {"env": "prod", "team": "data base", "note": "a \"b\""} "env=prod\nteam=data base,note=a \"b\""

A script's own option of that name keeps its values.

  $ cat >label.lua <<'END'
  > sysbench.cmdline.options = {label = {"a script's own", "none"}}
  > function event() print(sysbench.opt.label) end
  > END
  $ for l in "" --label=mine --label=env=prod
  > do sysbench label.lua --events=1 --verbosity=0 $l --report-file=own.json run; report get own.json run.labels; done | paste -sd ' '
  none {} mine {} env=prod {}

Standard output is a file too. A script's hooks replace what it shows, not what files get.

  $ { cat sleep.lua; for h in intermediate cumulative; do echo "sysbench.hooks.report_$h = function() print('$h') end"; done } >hook.lua
  $ sysbench hook.lua --time=1 --report-interval=1 --verbosity=0 --report-file=text:- run | mask | brief | grep -v '^$'
  Running the test with following options:
  Number of threads: N
  Report intermediate results every N second(s)
  Initializing random number generator from current time
  intermediate
  [ Ns ] thds: N eps: N.NN lat (ms,N%): N.NN
  cumulative
  (General statistics, Latency, Threads fairness)
  $ sysbench sleep.lua --time=1 --report-interval=0.5 --verbosity=0 --report-file=json:- run >piped.json; valid piped.json || [ $? = 80 ]
  $ sysbench sleep.lua --time=1 --report-interval=0.5 --verbosity=0 --report-file=json:- run | cat >piped.json
  $ values piped.json end.status intervals.-1.kind
  "completed" "interval"

Stock's lines on standard output are the same with and without files.

  $ sysbench sleep.lua --time=1 --report-interval=1 run | mask >without
  $ sysbench sleep.lua --time=1 --report-interval=1 --report-file=a.json --raw-log=a.raw run | mask | diff without -
