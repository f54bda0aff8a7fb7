Commands that the run starts: --at and --do.

  $ . "$TESTDIR/../include/report.sh"
  $ cat >sleep.lua <<'END'
  > ffi.cdef("int usleep(unsigned); int open(const char *path, int flags, ...);")
  > function thread_init() opened = ffi.C.open("/dev/zero", 0) end -- a descriptor that programs would inherit
  > function event() ffi.C.usleep(1000) end
  > END
  $ files=--report-file=a.json,a.csv,a.jsonl,a.hlog,a.prom,a.txt
  $ few=--report-file=a.json,a.jsonl,a.hlog,a.prom,a.txt    # csv needs intervals
  $ check() {
  >   checked agree a.json a.csv a.jsonl a.prom + hlog a.hlog a.json + raw a.raw a.json
  >   report phases a.json >wrong; timed_diff /dev/null wrong; }
  $ show() { python3 "$TESTDIR/../include/cram_report_commands.py" "$@"
  > timed 0 2 "$(cat late)"; }
  $ marks() { python3 -c 'import json; print([(m["source"], m["text"]) for m in json.load(open("a.json"))["marks"]])'; }
  $ block() { sed -n '/^Commands:/,/^$/p' "${1:-out}" | sed -E 's/^    [0-9.]+ s: /    N s: /; s/after [0-9.]+ s/after N s/'; }

What was run, how it ended and what it printed; the beginning is a mark.  Options come in pairs, in any order.  A command that
fails is said, and changes neither the run nor its status.

  $ sysbench sleep.lua --time=2 --threads=2 --report-interval=0.4 $files --raw-log=a.raw --at=1s --do='echo "a, b"; echo two >&2; exit 3' \
  >   --do='printf "1\n2\n3\n4\n5\n6\n"; kill -9 $$' --at=500ms,75% --do=true run >out 2>err; exited $?; cat err
  $ block | tee one; block a.txt | diff one -
  Commands:
      N s: echo "a, b"; echo two >&2; exit 3
          FAILED: exit status 3 after N s; output, 9 bytes:
              a, b
              two
      N s: printf "1\n2\n3\n4\n5\n6\n"; kill -9 $$
          FAILED: ended by signal 9 after N s; output, 12 bytes:
              1
              2
              3
              4
              5
              ... (1 more line)
      N s: true
          exit status 0 after N s; no output
  
  $ grep WARNING out | sort
  WARNING: --at=1s: 'echo "a, b"; echo two >&2; exit 3' failed with status 3: a, b
  WARNING: --at=500ms: 'printf "1\n2\n3\n4\n5\n6\n"; kill -9 $$' was ended by signal 9: 1
  $ check; marks | sed "s/, ('command', 'end of: [^)]*)//g"    # of one that an interval ended in
  [('command', 'printf "1\\n2\\n3\\n4\\n5\\n6\\n"; kill -9 $$'), ('command', 'echo "a, b"; echo two >&2; exit 3'), ('command', 'true')]
  $ show; show jsonl | sort >one; show | sort | diff one -
  1 echo "a, b"; echo two >&2; exit 3 ended 3 'a, b\ntwo\n' 9
  0.5 printf "1\n2\n3\n4\n5\n6\n"; kill -9 $$ ended 9 '1\n2\n3\n4\n5\n6\n' 12
  1.5 true ended 0 '' 0

The instant counts from the start of measuring.  The command knows the run from its environment, and inherits nothing but the three standard
descriptors, signals as they were, and no blocked ones.

  $ sysbench sleep.lua --time=3 --warmup-time=1 --threads=3 --server=$$ --report-file=a.json --at=0.5 \
  >   --do='echo $SB_AT $SB_TIME $((SB_PID == PPID)) $((SB_SERVER_PIDS == '$$')); cd /proc/self/fd && echo *; grep -E '\
  > '"Sig(Blk|Ign)|ShdPnd" /proc/self/status; readlink 0; cat' run >out; python3 -c 'import json; '\
  > 'print(json.load(open("a.json"))["commands"][0]["output"].replace("\t", " "), '\
  > 'end="")' | sed 's/^\(SigIgn:\).*\(.......\)$/\1 \2/'    # above them the C library's own
  0.5 3 1 1
  0 1 2 3
  ShdPnd: 0000000000000000
  SigBlk: 0000000000000000
  SigIgn: 0000000
  /dev/null

What takes longer than an interval has a mark at its end too: a phase lies between the two, and begins after the second. A name
stands for the command in all marks.

  $ sysbench sleep.lua --time=3 --report-interval=0.2 $files --raw-log=a.raw --at=0.9s:nap --do='sleep 1' run >out; check; marks
  [('command', 'nap'), ('command', 'end of: nap')]
  $ grep -o 'mark: .*\|, after [a-z: ]*nap.*\|s: nap: .*' out
  mark: nap
  mark: end of: nap
  s: nap: sleep 1
  , after nap
  , after end of: nap
  $ python3 -c 'import json; print([[m["text"] for m in p["marks"]] for p in json.load(open("a.json"))["phases"]])'
  [[], ['nap'], ['end of: nap']]

What still runs at the end gets two seconds and is ended; what it left behind, at once; what did not begin is said.

  $ sysbench sleep.lua --time=1 $few --at=0.1 --do='echo begun; sleep 600; echo never' --do='sleep 600 & echo $!' --at=0.2 \
  >   --at=0.4 --do='sleep 1.2; echo whole' run >out; exited $?
  $ block | sed 's/ [0-9]*$/ PID/'
  Commands:
      N s: echo begun; sleep 600; echo never
          still running at the end of the run, terminated after N s; output, 6 bytes:
              begun
      N s: sleep 600 & echo $!
          exit status 0 after N s; processes it had left were terminated with the run; output, [0-9]+ bytes: (re)
              PID
      N s: sleep 1.2; echo whole
          exit status 0 after N s; output, 6 bytes:
              whole
  
  $ left=$(sed -n 's/^            \([0-9]*\)$/\1/p' out)
  > while kill -0 $left 2>/dev/null && ! grep -q '^State:.Z' /proc/$left/status; do sleep 0.02; done
  $ sysbench sleep.lua --time=0 --events=3 --at=106751.99d --do='echo no' run >out; block >one # after 292 years
  $ sysbench sleep.lua --time=10 --events=3 $few --at=5 --do='echo no' run >out; block | diff one -; sed -n 3p one; show
          not run: the run ended before
  5 echo no not run None None

A parent that ignores the ends of its children has handed that down; the ends of commands are told all the same.

  $ timeout -k 1 30 python3 -c \
  >   'import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execvp(sys.argv[1], sys.argv[1:])' \
  >   sysbench sleep.lua --time=3 --at=0.1 --do='printf x; exit 3' --at=0.2 --do='printf "1\n2\n3\n4\n5\n6"' run >out
  > exited $?; block | grep status
          FAILED: exit status 3 after N s; output, 1 byte:
          exit status 0 after N s; output, 11 bytes:

A program that was stopped while the instant passed runs the command when it goes on, no later.

  $ : >out; sysbench sleep.lua --time=7 --at=4 --do='echo begun' run >out 2>err & pid=$!
  $ wait_for out '^Threads started'; sleep 0.3; kill -STOP $pid; sleep 4; kill -CONT $pid; wait $pid; echo $?; block | sed 1,3d
  0
              begun
  

One that does not listen to SIGTERM is killed.

  $ sysbench sleep.lua --time=2 $few --at=0.1 --do="trap '' TERM; sleep 600; sleep 600" run >out; exited $?; show
  0.1 trap '' TERM; sleep 600; sleep 600 ended 9 terminated_with_run '' 0

A signal ends the run and its commands at once; so does a run that fails, before its report or without one.

  $ : >out; sysbench sleep.lua --time=600 --report-interval=0.2 $files --at=0.1 --do='echo $$ >pid; sleep 600' run >out 2>err & pid=$!
  $ wait_for out 'mark: echo'; wait_for pid '.'; kill $pid; wait $pid; echo $?; block | sed -n 3p; show
  > kill -0 $(cat pid) 2>/dev/null || echo gone
  143
          still running at the end of the run, terminated after N s; no output
  0.1 echo $$ >pid; sleep 600 ended 15 terminated_with_run '' 0
  gone
  $ echo \
  >   'ffi.cdef("int usleep(unsigned)"); function event() while not io.open("made") do ffi.C.usleep(10000) end error("broken") end' \
  >   >fails.lua
  $ sysbench fails.lua --time=60 $few --at=0.05 --do='echo begun; : >made; sleep 600' run >out 2>err; echo $?; block | sed -n 3p
  > valid a.json a.jsonl || [ $? = 80 ]; show >one; show jsonl | diff one -; cat one
  1
          still running at the end of the run, terminated after N s; output, 6 bytes:
  0.05 echo begun; : >made; sleep 600 ended 15 terminated_with_run 'begun\n' 6

Whatever ends the program ends the command.  What was known at the last interval is in the files.

  $ rm pid; : >out
  > sysbench sleep.lua --time=600 --report-interval=0.2 $files --at=0.1 --do='echo said' --at=0.2 \
  >   --do='echo $$ >pid; exec sleep 600' run >out 2>err &
  > pid=$!
  $ wait_for pid '.'; wait_for out 'mark: echo \$\$'
  > wait_for a.jsonl '"kind":"interval"' $(($(grep -c '"kind":"interval"' a.jsonl) + 2))
  > { kill -KILL $pid; wait $pid; } 2>/dev/null; echo $?; show; show jsonl
  137
  0.1 echo said ended 0 'said\n' 5
  0.2 echo $$ >pid; exec sleep 600 running None None
  0.1 echo said ended 0 'said\n' 5
  $ while kill -0 $(cat pid) 2>/dev/null && ! grep -q '^State:.Z' /proc/$(cat pid)/status; do sleep 0.02; done

Output of any length and kind: the first 65,536 bytes are kept, and it is read to its end.

  $ sysbench sleep.lua --time=2 $few --at=0 --do='head -c 300000 /dev/zero | tr "\0" x; printf "\377\0\n" >&2; echo end >made' \
  >   --at=0.1 --do='printf "a\0b\r\033[1m\377\n\n%0150d\n" 7' run >out; cat made; valid a.json a.jsonl || [ $? = 80 ]
  end
  $ block | sed -E 's/x{120}/120 x/'
  Commands:
      N s: head -c 300000 /dev/zero | tr "\0" x; printf "\377\0\n" >&2; echo end >made
          exit status 0 after N s; output, 300003 bytes (the first 65536 were kept):
              120 x...
      N s: printf "a\0b\r\033[1m\377\n\n%0150d\n" 7
          exit status 0 after N s; output, 162 bytes:
              a?b  [1m\xff (esc)
              
              000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000...
  
  $ python3 -c 'import json; print([(len(c["output"]), c["output_bytes"]) for c in json.load(open("a.json"))["commands"]])'
  [(65536, 300003), (162, 162)]

What cannot be is one sentence, and nothing is made.

  $ mkdir empty; cd empty
  $ for v in --at=5 '--at=10 --do=true' '--at=1e400 --do=true'; do
  >   sysbench ../sleep.lua --time=10 --report-file=a.json $v run 2>&1 | grep FATAL; done
  FATAL: --at=5 has no --do=COMMAND
  FATAL: Invalid value for --at: '10' (the run is over by then: --time=10)
  FATAL: Invalid value for --at: '1e400' (a time after the start of measuring, such as 30, 1.5s, 500ms, 2m or 50%)
  $ sysbench ../sleep.lua --time=2147483647 --events=1 --at=1000000% --do=true run | grep FATAL
  FATAL: Invalid value for --at: '1000000%' (the run is over by then: --time=2147483647)
  $ rm -f a.json; ls
