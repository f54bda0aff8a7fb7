What tests/netns holds against a report: of a true one it finds nothing, of each false one what is false.

  $ . "$TESTDIR/../include/ranks.sh"
  $ ranks 2 cpu --cpu-max-prime=10 --threads=4 --tx-rate=200 --events=100 --time=0 --raw-log=run.raw --report-interval=1 \
  >   --report-file=run.json run
  rank 0: exit 0
  rank 1: exit 0
  $ cat >false.py <<'END'
  > import copy, json, os, sys
  > tests = os.environ["SB_SOURCE"] + "/tests/"
  > sys.dont_write_bytecode = True
  > sys.path[:0] = [tests + "netns", tests + "include", tests + "faults", tests, tests + "../scripts"]
  > from drills.book import Book
  > from proof import truth
  > from proof.ranks import Run, share
  > print([share(11, r, 4) for r in range(4)])
  > true = json.load(open("run.json"))
  > for r in true["summary"]["ranks"]:
  >     r["host"] = ("load1", "load2")[r["rank"]]
  > true["summary"]["ranks"][1]["clock"] = {"same": False, "offset_s": -100000.00001, "uncertainty_s": 2e-5}
  > def findings(document, count=100):
  >     book = Book(lambda: False)
  >     run = Run.__new__(Run)
  >     run.ranks, run.stem = 2, "run"
  >     os.path.exists("run.out.0") or os.link("out.0", "run.out.0")
  >     truth.accounts(book, document)
  >     truth.ranks(book, run, document, 4)
  >     truth.histograms(book, document, run.raws())
  >     truth.executed(book, document, count)
  >     truth.clocks(book, run, document, 0)
  >     return sorted({line.split(":")[0].split(" at ")[0] for line in book.wrong})
  > def false(what, change):
  >     document = copy.deepcopy(true)
  >     change(document, document["summary"]["rate"], document["summary"]["ranks"][1])
  >     print(what, findings(document))
  > print("true", findings(true))
  > def bucket(d, rate, rank): d["histograms"]["lag"]["buckets"][0][2] += 1
  > def done(d, rate, rank): rank["done"] -= 1
  > def lost(d, rate, rank): rate["total_lost"] += 1
  > def clock(d, rate, rank): rank["clock"]["offset_s"] += 4e-5
  > def vague(d, rate, rank): rank["clock"]["uncertainty_s"] = 2e-3
  > def same(d, rate, rank): rank["clock"]["same"] = True
  > def host(d, rate, rank): rank["host"] = "load1"
  > for change in (bucket, done, lost, clock, vague, same, host):
  >     false(change.__name__, change)
  > print("server", findings(true, 99), findings(true, 101))
  > END
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
