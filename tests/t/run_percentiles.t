--percentile as a list: all of them in every report, stock's lines with one of them.

  $ . "$TESTDIR/../include/rate.sh"
  $ naps 1000 sleep.lua

Interval lines and the Latency block, in the order of the list; the last digits stay in column 53.

  $ sysbench sleep.lua --percentile=50,99.9,95 --time=1 --report-interval=1 run >out
  $ grep '^\[' out | sed -E 's/[0-9]+\.[0-9]{2}/N.NN/g; s/thds: [01]/thds: N/; s/^\[ [0-9]+s/[ Ns/'
  [ Ns ] thds: N eps: N.NN lat (ms,50%,99.9%,95%): N.NN/N.NN/N.NN
  $ sed -n '/^Latency/,/sum/p' out | sed -E 's/ +[0-9]+\.[0-9]{2}$/ N.NN/'
  Latency (ms):
           min: N.NN
           avg: N.NN
           max: N.NN
           50th percentile: N.NN
          99.9th percentile: N.NN
           95th percentile: N.NN
           sum: N.NN
  $ awk '/(min|avg|max|percentile|sum): / { print length($0) }' out | uniq
  53
  $ awk '/50th/ { a = $NF } /95th/ { b = $NF } /99.9th/ { c = $NF } END { print (0 < a && a <= b && b <= c) }' out
  1

One value, with or without a fraction: stock's lines.

  $ for p in 99 99.9; do sysbench sleep.lua --percentile=$p --time=1 --report-interval=1 run >one
  >   grep -oE 'lat .*|.*percentile: ' one | sed -E 's/[0-9]+\.[0-9]{2}$/N.NN/; s/ +$//'; done
  lat (ms,99%): N.NN
           99th percentile:
  lat (ms,99.9%): N.NN
          99.9th percentile:

fileio's own words.

  $ sysbench fileio --file-num=1 --file-total-size=64K prepare >prepared
  $ sysbench fileio --file-num=1 --file-total-size=64K --file-test-mode=rndrd --percentile=50,99.9 --time=1 \
  >   --report-interval=1 run | grep '^\[' | sed -E 's/[0-9]+\.[0-9]+( |\/|$)/N\1/g; s/^\[ [0-9]+s/[ Ns/'
  [ Ns ] reads: N MiB/s writes: N MiB/s fsyncs: N/s latency (ms,50%,99.9%): N/N

Rate mode: the line has those of p50, p95 and p99 that `lat` has not, the report these three and the others in ascending order.

  $ sysbench sleep.lua --percentile=99.9,90,95 --tx-rate=100 --tx-spin=0 --time=1 --report-interval=1 run >out
  $ grep -oE '\| ms: .*' out | sed -E 's/[0-9]+\.[0-9]{3}/N/g'
  | ms: resp-p50 N resp-p99 N svc-p99 N lag-p99 N
  $ grep -E '^    ms ' out
      ms                p50        p90        p95        p99
      ms              p99.9    maximum       mean
  $ awk '{ gsub(/\*/, "") } # marked: of few transactions
  >      $1 ~ /^(response|service|lag)$/ && NF == 5 { low[$1] = $5; print ($2 <= $3 && $3 <= $4 && $4 <= $5) }
  >      $1 ~ /^(response|service|lag)$/ && NF == 4 { if (low[$1] > $2 || $2 > $3) print $0 }' out | uniq -c | sed 's/^ *//'
  3 1
  $ accounts

Scripts: sysbench.opt.percentile and stat.latency_pct are the first; stat.percentiles has all.

  $ cat >hook.lua <<'END'
  > function event() end
  > function sysbench.hooks.report_cumulative(stat)
  >    local text = {}
  >    for i, p in ipairs(stat.percentiles) do
  >       text[i] = p.percentile .. (p.latency >= 0 and p.latency < 60 and " ok" or " wrong")
  >    end
  >    print(sysbench.opt.percentile, stat.percentile, stat.latency_pct == (stat.percentiles[1] or {latency = 0}).latency,
  >          table.concat(text, ", "))
  >    for _, name in ipairs{"report_default", "report_csv", "report_json"} do sysbench[name](stat) print() end
  > end
  > END
  $ hook() { sysbench hook.lua --events=100 "$@" run | sed '1,/^Threads started/d' | mask; }
  $ sysbench hook.lua --events=100 --percentile=99,50,99.99 run | grep ok
  99\t99\ttrue\t99 ok, 50 ok, 99.99 ok (esc)
  $ hook --percentile=99,50,99.99 >got; sed -n '3p; 5p' got; sed '1,6d' got | tr -d ' \n'; echo
  [ Ns ] thds: N tps: N.NN qps: N.NN (r/w/o: N.NN/N.NN/N.NN) lat (ms,N%,N%,N.NN%): N.NN/N.NN/N.NN err/s N.NN reconn/s: N.NN
  N,N,N.NN,N.NN,N.NN,N.NN,N.NN,N.NN,N.NN,N.NN,N.NN,N.NN
  [{"time":N,"threads":N,"tps":N.NN,"qps":{"total":N.NN,"reads":N.NN,"writes":N.NN,"other":N.NN},"latency":N.NN,"percentiles":{"N":N.NN,"N":N.NN,"N.NN":N.NN},"errors":N.NN,"reconnects":N.NN}]

From a config file, and beside a script's own default of that name.

  $ printf 'percentile = 50, 95 ,99.9  # three\n' >p.cnf
  $ sysbench sleep.lua --config-file=p.cnf --events=3 run | grep -c percentile:
  3
  $ echo 'sysbench.cmdline.options = {percentile = {"as the script likes it", 90}}
  > function init() print(sysbench.opt.percentile + 0) end function event() end' >own.lua
  $ for p in '' --percentile=99.5,50; do echo $(sysbench own.lua $p --events=3 run | sed -n -E '3p; s/ *(.*) percentile:.*/\1/p'); done
  90 95th
  99.5 99.5th 50th
