What tests/netns holds against a report: of a true one it finds nothing, of each false one what is false.

  $ . "$TESTDIR/../include/ranks.sh"
  $ ranks 2 cpu --cpu-max-prime=10 --threads=4 --tx-rate=200 --events=100 --time=0 --raw-log=run.raw --report-interval=1 \
  >   --report-file=run.json run
  $ cp "$TESTDIR/../include/cram_ranks_truth.py" false.py
  $ python3 false.py
  [3, 3, 3, 2]
  true []
  bucket ['histogram of lag']
  done ['rank 1', 'summary']
  lost ['summary']
  clock ['rank 1']
  vague ['rank 1']
  same ['rank 1']
  host ['rank 1']
  server ['executed by the server, of those done'] ['executed by the server, of those offered']
