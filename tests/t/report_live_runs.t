The live page when runs follow each other on one port, as those of the laboratory do: the rows of one never stand beside those of
another, and the first rows of the new run are not missing. A page that is paused keeps what it shows until it goes on.
With several load hosts it says
which ones are missing; with several database hosts it has a table of them, and none without. The verdict stays when the
program has gone. With a run inside, as --report-file=run.html writes it, the page shows that, also if the file was cut off; its
tables have all that the report has, also figures that the page was not told of.

  $ . "$TESTDIR/../include/common.sh"
  $ command -v node >/dev/null || skip 'no node'
  $ naps 1000 wait.lua
  $ sysbench wait.lua --tx-rate=100 --time=2 --report-interval=0.5 --server=off --label='env=</script><b>' \
  >   --report-file=run.html run >/dev/null
  $ grep -c '<script type="application/x-ndjson" id="run">' run.html; tail -n 1 run.html
  1
  </script>
  $ sed '1,/id="run">/d; $d' run.html >run.jsonl; grep '<' run.jsonl
  [1]
  $ head -n -1 run.jsonl >cut.jsonl
  $ node "$TESTDIR/../include/live_page.js" run.jsonl >whole
  $ node "$TESTDIR/../include/live_page.js" cut.jsonl | diff whole - | sed -n 's/^[<>] //p'
  wait.lua; Ended: completed; The whole run
  wait.lua; Ended: the file is not complete; The whole run
  $ diff "$TESTDIR/../data/live_page.txt" whole
