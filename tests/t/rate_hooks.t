Report hooks with a rate: counts and percentiles that stand side by side are of the same time, as in the text reports.

  $ . "$TESTDIR/../include/rate.sh"
  $ cat >hook.lua <<'END'
  > ffi.cdef("int usleep(unsigned)")
  > function event() ffi.C.usleep(1000) end
  > local function look(kind, stat)
  >    local r, t = stat.rate, stat.rate.total
  >    if t.offered ~= t.done + t.failed + t.dropped + t.unfinished then print(kind, "the run's accounts do not balance") end
  >    if t.unfinished ~= t.waiting + t.in_flight + t.withdrawn then print(kind, "unfinished is not the sum of its parts") end
  >    if math.abs(r.done - r.response.n) > 2 or math.abs(r.done - r.service.n) > 2 then
  >       print(kind, r.done .. " done, but percentiles of " .. r.response.n)
  >    end
  >    for _, name in ipairs{"offered", "done", "failed", "dropped", "late"} do
  >       if r[name] > t[name] then print(kind, name, r[name], t[name]) end
  >    end
  >    print(kind, math.floor(stat.time_total + 0.5), math.floor(r.offered / 10 + 0.5), math.floor(t.offered / 10 + 0.5),
  >          r.withdrawn, r.events_least and "spread" or "-")
  > end
  > function sysbench.hooks.report_intermediate(stat) look("interval", stat) end
  > function sysbench.hooks.report_cumulative(stat) look(stat.threads_running > 0 and "checkpoint" or "final", stat) end
  > END

Columns: offered in the period of the report, and in the run, by ten.

  $ sysbench hook.lua --threads=2 --tx-rate=10 --tx-spin=0 --time=4 --report-interval=1 --report-checkpoints=2 run >out; exited $?
  $ grep -E '^(interval|checkpoint|final)' out | tr '\t' ' ' >got
  $ timed_diff - got <<'END'
  > interval 1 1 1 0 -
  > interval 2 1 2 0 -
  > checkpoint 2 2 2 0 spread
  > interval 3 1 3 0 -
  > interval 4 1 4 0 -
  > final 4 4 4 0 spread
  > END
  $ grep -E '^    (offered|done):' out | mask
      offered: N
      done: N

A second checkpoint begins anew.

  $ sysbench hook.lua --threads=2 --tx-rate=10 --tx-spin=0 --time=4 --report-checkpoints=1,3 run |
  >   grep -E '^(checkpoint|final)' | tr '\t' ' ' >got
  $ timed_diff - got <<'END'
  > checkpoint 1 1 1 0 spread
  > checkpoint 3 2 3 0 spread
  > final 4 4 4 0 spread
  > END

Transactions that the script ended as neither done nor failed: withdrawn, here as in the text.

  $ cat >stop.lua <<'END'
  > local n = 0
  > function event() n = n + 1 return n == 3 end
  > function sysbench.hooks.report_cumulative(stat) print("withdrawn", stat.rate.withdrawn) end
  > END
  $ sysbench stop.lua --threads=2 --tx-rate=20 --tx-spin=0 --time=60 run | grep -oE '^withdrawn.*|[0-9]+ withdrawn by the script'
  withdrawn\t2 (esc)
  2 withdrawn by the script
