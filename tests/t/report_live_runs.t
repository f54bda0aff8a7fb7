The live page when runs follow each other on one port, as those of the laboratory do: the rows of one never stand beside those of
another, and the first rows of the new run are not missing. A page that is paused keeps what it shows until it goes on.
With several load hosts it says
which ones are missing; with several database hosts it has a table of them, and none without.

  $ . "$TESTDIR/../include/common.sh"
  $ command -v node >/dev/null || skip 'no node'
  $ node "$TESTDIR/../include/live_page.js"
  run 1: live.json?after=0; 5 points of 1000; running
  run 2: live.json?after=5 live.json?after=0; 8 points of 2000; running
  no answer: live.json?after=8; 8 points of 2000; lost
  paused: live.json?after=8; 8 points of 2000; running
  run 3: live.json?after=9 live.json?after=9; 8 points of 2000; running
  resumed: live.json?after=9 live.json?after=0; 20 points of 3000; running
  several load hosts: live.json?after=20 live.json?after=0; 1 points of 4000; running
  2 load hosts
  several load hosts: live.json?after=1 live.json?after=1; 1 points of 4000; running
  3 load hosts, without rank 1 (load1, lost), rank 2 (load2, late)
  several database hosts: live.json?after=1 live.json?after=0; 1 points of 5000; running
  shown: true
  <b>db1</b>:3306 | 2 | 3 | 412 | 1 | 2 | 4 | 12.50
  db2:3306 | 0 | 0 | 0 | 0 | 0 | 0 | n/a
  one database host: live.json?after=1 live.json?after=0; 1 points of 6000; running
  shown: false
  6 charts drawn, 5 destroyed
