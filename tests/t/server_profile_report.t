What --server-profile did, in the json report: the text's figures, null with a reason where there are none.

  $ . "$TESTDIR/../include/profile.sh"; . "$TESTDIR/../include/report.sh"
  $ command -v burn_fp >/dev/null || skip 'no burn_fp was built'; may_profile
  $ idle='--tx-rate=10 --tx-spin=0' # the client leaves the CPU to who is watched
  $ run() {
  > kill -CONT $burner
  > sysbench cpu --threads=1 --cpu-max-prime=1000 $idle --server=$burner --report-file=a.json,a.jsonl "$@" run >out \
  >   2>err
  > exited $?; kill -STOP $burner; cat err; }
  $ check() { checked agree a.json a.jsonl; }
  $ field() { python3 -c \
  >   'import json, sys; p = json.load(open("a.json"))["profile"]; print(*[p[n] if n in p else "no " + n for n in sys.argv[1:]])' \
  >   "$@"
  > }
  $ burner burn_fp burn 1
  $ run --time=1 --server-profile=cpu,offcpu --server-profile=hz=499 --server-profile=window=0.5:60 --server-profile=file=both
  $ check; field kinds frequency_hz window_start_s window_length_s files files_complete missing
  ['cpu', 'offcpu'] 499 0.5 60 ['both.cpu.folded', 'both.cpu.svg', 'both.offcpu.folded', 'both.offcpu.svg'] True {}
  $ [ "$(field name)" = "burn_fp (pid $burner)" ]
  $ [ "$(field samples)" = "$(figure 'on CPU')" ] && [ "$(field samples)" = "$(total both.cpu.folded)" ] &&
  >   [ "$(field lost_records)" = "$(figure lost)" ]
  $ [ "$(field switches)" = "$(figure switches)" ] && [ "$(printf %.4f $(field off_cpu_s))" = "$(figure 'off CPU')" ]
  $ [ "$(printf %.4f $(field profiler_cpu_s))" = "$(figure profiler)" ]
  $ [ "$(printf %.4f $(field watched_s))" = "$(block | sed -n 's/.* for \([0-9.]*\) s$/\1/p')" ]

One kind only; a window that never came; no profile.

  $ run --time=1 --server-profile=cpu --server-profile=file=one
  $ check; field kinds window_length_s off_cpu_s switches files
  ['cpu'] None None None ['one.cpu.folded', 'one.cpu.svg']
  $ python3 -c 'import json; m = json.load(open("a.json"))["profile"]["missing"]; print(m["window_length_s"], "/", m["off_cpu_s"])'
  to the end of the run / offcpu was not asked for
  $ run --events=1 --time=0 --server-profile=cpu --server-profile=window=1000:1 --server-profile=file=never
  $ check; field name samples lost_records files
  None None None []
  $ python3 -c 'import json; print(json.load(open("a.json"))["profile"]["missing"]["samples"])'
  the run ended before the window began
  $ run --events=1 --time=0
  $ check; python3 -c 'import json; print(json.load(open("a.json"))["profile"])'; ! grep '"kind":"profile"' a.jsonl
  None
  $ end_burner

A run that fails, a file that cannot be written: the report says so.

  $ burner burn_fp burn 1
  $ echo 'function event() error("enough") end' >fails.lua
  $ sysbench fails.lua --threads=1 --server=$burner --server-profile=cpu --server-profile=file=failed \
  >   --report-file=a.json run >out 2>err
  > echo $?
  1
  $ valid a.json || [ $? = 80 ] || echo invalid; field kinds files_complete
  > python3 -c 'import json; print(json.load(open("a.json"))["end"]["status"])'
  ['cpu'] True
  failed
  $ printf 'ffi.cdef("int usleep(unsigned)")\nfunction event() ffi.C.usleep(10000) end\n' >nap.lua
  $ mkdir full; : >out
  > sysbench nap.lua --time=600 --threads=2 --server=$burner --server-profile=cpu --server-profile=file=full/x \
  >   --report-file=a.json run >out 2>err &
  > pid=$!
  $ wait_for out '^Threads started'; rmdir full; kill $pid; wait $pid; echo $?
  143
  $ valid a.json || [ $? = 80 ] || echo invalid; field files files_complete
  [] False
  $ end_burner
