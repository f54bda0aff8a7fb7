--server-profile on a process whose profile is known; and in the json report: the text's figures, null with a reason where there
are none.

  $ . "$TESTDIR/../include/profile.sh"; . "$TESTDIR/../include/report.sh"
  $ command -v burn_fp >/dev/null || skip 'no burn_fp was built'; may_profile
  $ idle='--tx-rate=10 --tx-spin=0' # the client leaves the CPU to who is watched
  $ run() { sysbench cpu --threads=1 --cpu-max-prime=1000 $idle --server=$burner --report-file=a.json,a.jsonl "$@" run >out 2>err
  >   exited $?; cat err; checked agree a.json a.jsonl; }
  $ per_second() { echo $(total $1) $(report get a.json summary.server.cpu_s) | awk '{ print $1 / $2 }'; } # of CPU time that it got
  $ field() { report get a.json $(printf 'profile.%s ' "$@") | tr '\n' ' '; echo; }
  $ watched() { block | sed -n 's/.* for \([0-9.]*\) s$/\1/p'; } # seconds

All of it is found below main and the two functions above it, three quarters of it in one, with frame pointers and without.

(Frame pointers alone lose the caller of a function that calls nobody: compilers leave it without one.)

  $ inner='main;(work;)?burn_outer;burn_inner;burn_(hot|warm)'
  $ burner burn_fp burn 1
  $ run --time=1 --server-profile=cpu --server-profile=hz=499 --server-profile=file=fp
  $ end_burner; ls fp.*
  fp.cpu.folded
  fp.cpu.svg
  $ in_range 80 100 $(share fp.cpu.folded "$inner"); svg fp.cpu.svg
  $ timed 200 900 $(per_second fp.cpu.folded); timed 50 95 $(share fp.cpu.folded "burn_hot")
  $ sed -n 's/^\(# window_s=[0-9]*\.[0-9]*\) unit=samples$/one comment/p' fp.cpu.folded
  one comment
  $ total fp.cpu.folded | grep -vx $(figure 'on CPU')
  [1]
  $ field kinds window_length_s off_cpu_s switches files missing.window_length_s missing.off_cpu_s
  ["cpu"] null null null ["fp.cpu.folded", "fp.cpu.svg"] "to the end of the run" "offcpu was not asked for" 
  $ block | sed -E 's/[0-9]+(\.[0-9]+)?/N/g; s/(unwinding: +).*/\1HOW/; s/(lost: +).*/\1N records/'
  Server profile:
      watched:                             burn_fp (pid N), for N s
      on CPU:                              N samples at N/s on each CPU (about N s of CPU time), N different stacks
      unwinding:                           HOW
      lost:                                N records
      profiler:                            N s of CPU (N% of one CPU)
      files:                               fp.cpu.folded, .svg
  
  $ burner burn_nofp burn 2
  $ run --time=1 --server-profile=cpu --server-profile=hz=499 --server-profile=file=nofp
  $ end_burner
  $ in_range 80 100 $(share nofp.cpu.folded 'burn_outer;burn_inner;burn_(hot|warm)'); in_range 1 100 $(share nofp.cpu.folded "$inner")

Off the CPU: three threads sleep, nearly all of the time, in one place.

  $ burner burn_nofp wait 3
  $ run --time=1 --server-profile=offcpu --server-profile=hz=999 --server-profile=file=wait
  $ end_burner; ls wait.*
  wait.offcpu.folded
  wait.offcpu.svg
  $ in_range 80 100 $(share wait.offcpu.folded 'burn_wait|poll|\[no stack sampled\]'); svg wait.offcpu.svg
  $ timed 75 100.1 $(echo $(figure 'off CPU') $(watched) | awk '{ print 100 * $1 / (3 * $2) }')
  $ in_range 99 101 $(echo $(total wait.offcpu.folded) $(figure 'off CPU') | awk '{ print $1 / $2 / 10000 }')
  $ grep -c 'us, .*%)</title>' wait.offcpu.svg | awk '{ print ($1 > 3) }'
  1

Without sysbench-flame beside the program there are stacks and no picture.

  $ mkdir alone; cp "$(command -v sysbench)" alone; burner burn_fp burn 1
  $ alone/sysbench cpu --time=1 --rate=9 --cpu-max-prime=10 --server=$burner --server-profile=cpu --server-profile=file=alone run >out 2>err
  > echo $?; cat err; ls alone.*; grep -E '^WARNING|files:' out
  0
  alone.cpu.folded
  WARNING: no flame graph: cannot run sysbench-flame: No such file or directory; draw it with: sysbench-flame alone.cpu.folded > alone.cpu.svg
      files:                               alone.cpu.folded, .svg (not all of them could be written)
  $ end_burner

A window of the run; a script that fails, a signal: what was taken is written.

  $ burner burn_fp burn 1
  $ run --time=2 --server-profile=cpu,offcpu --server-profile=hz=499 --server-profile=window=0.5:1 --server-profile=file=both
  $ timed 0.01 1 $(watched); field kinds frequency_hz window_start_s window_length_s files files_complete missing
  ["cpu", "offcpu"] 499 0.5 1 ["both.cpu.folded", "both.cpu.svg", "both.offcpu.folded", "both.offcpu.svg"] true {} 
  $ same() { [ "$1" = "$2" ] || echo "$1 is not $2"; }
  $ same "$(field name)" "\"burn_fp (pid $burner)\" "; for f in 'samples:on CPU' lost_records:lost switches:switches; do
  >   same "$(field ${f%:*})" "$(figure "${f#*:}") "; done; same $(field samples) $(total both.cpu.folded)
  $ for f in 'off_cpu_s:off CPU' profiler_cpu_s:profiler; do same "$(printf %.4f $(field ${f%:*}))" "$(figure "${f#*:}")"; done
  $ same "$(printf %.4f $(field watched_s))" "$(watched)"
  $ run --events=1 --time=0; report get a.json profile; ! grep '"kind":"profile"' a.jsonl
  null
  $ run --events=1 --time=0 --server-profile=cpu --server-profile=window=1000:1 --server-profile=file=never; ls never.*; block
  ls: cannot access 'never.*': No such file or directory
  Server profile:
      stacks:                              n/a (the run ended before the window began)
  
  $ field name samples lost_records files missing.samples
  null null null [] "the run ended before the window began" 
  $ cat >fails.lua <<'END'
  > ffi.cdef("int usleep(unsigned)")
  > local start
  > function event()
  >    ffi.C.usleep(10000)
  >    start = start or os.time()
  >    if os.time() > start + 1 then error("enough") end
  > end
  > END
  $ sysbench fails.lua --time=0 --threads=1 --server=$burner --server-profile=cpu --server-profile=hz=499 --report-file=a.json \
  >   run >out 2>err; echo $?
  1
  $ whole() { [ "$(total $1)" = "$(figure 'on CPU')" ] || figure 'on CPU'; ls ${1%%.*}.*; }
  $ timed 200 900 $(per_second fails.cpu.folded); timed 0.9 60 $(watched); whole fails.cpu.folded
  > field kinds files_complete; report get a.json end.status
  fails.cpu.folded
  fails.cpu.svg
  fails.lua
  ["cpu"] true 
  "failed"
  $ echo 'function event() error("at once") end' >early.lua
  $ sysbench early.lua --server=$burner --server-profile=cpu,offcpu run >out 2>err; echo $?; grep -c '^Server profile:' out
  1
  1
  $ naps 10000 nap.lua
  $ : >out; sysbench nap.lua --time=600 --threads=2 --report-interval=0.5 --server=$burner --server-profile=cpu,offcpu \
  >   --report-file=a.json run >out 2>err & pid=$!
  $ wait_for out '^\[ ' 2; kill $pid; wait $pid; echo $?
  143
  $ timed 40 180 $(per_second nap.cpu.folded); timed 0.9 60 $(watched); whole nap.cpu.folded
  nap.cpu.folded
  nap.cpu.svg
  nap.lua
  nap.offcpu.folded
  nap.offcpu.svg

A file that cannot be written does not take the report with it.

  $ mkdir full; rm out
  > sysbench nap.lua --time=600 --threads=2 --server=$burner --server-profile=cpu --server-profile=file=full/x --report-file=a.json run \
  >   >out 2>err &
  > pid=$!
  $ wait_for out '^Threads started'; rmdir full; kill $pid; wait $pid; echo $?; field files files_complete
  143
  [] false 
  $ grep -E "^ALERT|^Server prof|could be written" out
  ALERT: cannot write to 'full/x.cpu.folded': No such file or directory; the run continues without it
  ALERT: cannot write to 'full/x.cpu.svg': No such file or directory; the run continues without it
  Server profile:
      files:                               full/x.cpu.folded, .svg (not all of them could be written)
  $ end_burner

What cannot be (src/session/run_profile_test.c has more): one sentence before anything runs, and nothing on the disk.

  $ ls >before
  $ for v in --server-profile=gpu --server-profile= '--server-profile=cpu --server-profile=window=30:5 --time=20' \
  >   --server-profile=hz=10000 --server-profile=hz=x '--server-profile=cpu --server-profile=file=nosuch/x'; do
  >   sysbench cpu --time=5 --server=$$ $v run >out 2>err; status=$?
  >   cat out err | grep -v -e '^sysbench .*(using' -e '^$'; [ $status -eq 1 ] || echo "exit $status"; done
  FATAL: Invalid value for --server-profile: 'gpu' (cpu, offcpu, cpu,offcpu or off); did you mean cpu?
  FATAL: --server-profile needs a value
  FATAL: Invalid value for --server-profile=window: '30:5' begins after the end of the run (--time=20)
  FATAL: Invalid value for --server-profile=hz: 10000 (allowed: 1 to 9999)
  Invalid value for --server-profile=hz: 'x' (a whole number without a unit is needed)
  FATAL: Invalid value for --server-profile=file: the directory of 'nosuch/x.cpu.folded': No such file or directory
  $ rm out err; ls | diff before - | grep -v -e ' out$' -e ' err$' -e '^[0-9]'
  [1]

Without the option nothing is opened and nothing is said.

  $ ! sysbench cpu --events=1 --server=$$ run | grep 'profile'
