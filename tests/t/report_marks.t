Marks in the timeline: --mark-on and sysbench.mark(), shown by every report.

  $ . "$TESTDIR/../include/report.sh"
  $ naps 1000 sleep.lua
  $ files=--report-file=a.json,a.summary.csv,a.jsonl,a.hlog,a.prom,a.txt
  $ check() {
  >   checked agree a.json a.summary.csv a.jsonl a.prom + hlog a.hlog a.json + raw a.raw a.json + phases a.json
  > }
  $ texts() { python3 -c 'import json; print([(m["source"], m["text"]) for m in json.load(open("a.json"))["marks"]])'; }

A FIFO that is made for the run: each line is a mark. What does not print is a blank, an empty line is a mark too.

  $ : >out
  > sysbench sleep.lua --time=60 --threads=2 --report-interval=0.2 --mark-on=fifo $files --report-file=a.csv \
  >   --raw-log=a.raw run >out 2>err &
  > pid=$!
  $ wait_for out '^Threads started'; wait_for a.jsonl '"kind":"interval"'; ls -l fifo | cut -c1-10
  prw-------
  $ echo 'new pool size, "quoted"' >fifo; printf 'two\t words \n\n' >fifo; wait_for out 'mark: mark$'
  $ printf 'no end of line' >fifo; wait_for out 'mark: no end of line'
  $ python3 -c 'print("long " * 100)' >fifo; wait_for out 'mark: long'
  $ kill $pid; wait $pid; echo $?; cat err; ls fifo 2>&1 | grep -c 'No such file'
  143
  1
  $ check; report agree a.json a.csv; texts
  [('fifo', 'new pool size, "quoted"'), ('fifo', 'two  words'), ('fifo', 'mark'), ('fifo', 'no end of line'), ('fifo', 'long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long')]
  $ grep -h 'mark: ' out | sed -E 's/^\[ [0-9.]+s \] //; s/(long ){30}/30 /'
  mark: new pool size, "quoted"
  mark: two  words
  mark: mark
  mark: no end of line
  mark: 30 long long
  $ grep 'mark: ' out >marks; grep 'mark: ' a.txt | diff marks -

A line stands before the interval in which it came.

  $ python3 "$TESTDIR/../include/cram_report_marks.py"

A FIFO that is there is used and stays.

  $ mkfifo -m 600 mine
  $ : >out; sysbench sleep.lua --time=60 --mark-on=mine --report-file=a.json run >out 2>err & pid=$!
  $ wait_for out '^Threads started'; echo deployed >mine
  $ kill $pid; wait $pid; echo $?; texts; ls -l mine | cut -c1-10
  143
  [('fifo', 'deployed')]
  prw-------
  $ sed -n 's/^\[ [0-9.]*s \] //p' out
  mark: deployed

SIGUSR1, on workers too; without the option it ends the program as it always did.

  $ for w in 0 1; do
  >   : >out
  >   sysbench sleep.lua --time=60 --threads=4 --workers=$w --report-interval=0.2 --mark-on=SIGUSR1 $files \
  >     --report-file=a.csv --raw-log=a.raw run >out 2>err &
  >   pid=$!
  >   wait_for out '^Threads started'; kill -USR1 $pid; wait_for out 'mark: SIGUSR1'; kill $pid; wait $pid; echo $?
  >   cat err; check; texts
  > done
  143
  [('signal', 'SIGUSR1')]
  143
  [('signal', 'SIGUSR1')]
  $ : >out; : >err; sysbench sleep.lua --time=60 run >out 2>err & pid=$!
  $ wait_for out '^Threads started'; kill -USR1 $pid; wait_for err SIGUSR1; kill $pid; wait $pid; echo $?; cat err
  143
  sysbench: SIGUSR1 is ignored; with --mark-on=SIGUSR1 it would set a mark

A script marks what it does, its report hook too; hooks see the marks.

  $ cp "$TESTDIR/../data/lua-report/marks.lua" .
  $ sysbench marks.lua --events=10 $files --raw-log=a.raw run | grep -E 'mark|hook' | sed -E 's/[0-9.]+s/Ns/'
  [ Ns ] mark: five
  hook\tscript\tfive\ttrue (esc)
  $ texts; valid a.json a.jsonl || [ $? = 80 ]
  [('script', 'five')]
  $ echo 'function prepare() sysbench.mark("outside a run") print("prepared") end' >outside.lua; sysbench outside.lua prepare | tail -n +3
  prepared

A phase ends with an interval, the last one too: the milliseconds of the last transactions, or what is left of a run whose
length is no multiple of the interval, are no phase.

  $ cp "$TESTDIR/../data/lua-report/ends.lua" .
  $ for more in '--report-interval=0.5 --last=48' '--report-interval=0.4'; do
  >   sysbench ends.lua --time=1 --tx-rate=50 $more $files --raw-log=a.raw run >out; check
  >   python3 -c '
  > import json
  > d = json.load(open("a.json"))
  > print([p["end_s"] for p in d["phases"] if p["end_s"] not in [i["elapsed_s"] for i in d["intervals"]]])'
  > done
  []
  []

What cannot be is one sentence, and nothing is made.

  $ mkdir empty; cd empty
  $ for v in SIGUSR2 /nonexistent/fifo; do sysbench ../sleep.lua --mark-on=$v --report-file=a.json run 2>&1 | grep -v '^sysbench\|^$'; done
  FATAL: Invalid value for --mark-on: 'SIGUSR2' (the only signal is SIGUSR1; anything else is the path of a FIFO)
  FATAL: Invalid value for --mark-on: the directory of '/nonexistent/fifo': No such file or directory
  $ ls
