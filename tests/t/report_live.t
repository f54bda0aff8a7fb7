The live page: a run in a browser, with --metrics-listen.

  $ . "$TESTDIR/../include/report.sh"
  $ if sysbench --version --verbose | grep -q '^libmicrohttpd: no'; then skip 'built without libmicrohttpd'; fi
  $ live() { python3 "$TESTDIR/../include/live.py" "$@"; }
  $ naps 1000 sleep.lua
  $ start() { : >out; sysbench "${script:-sleep.lua}" --time=250 --threads=2 --metrics-listen=0 "$@" run >out 2>err &
  > pid=$!; wait_for out '^Threads started'; url=$(sed -n 's/^Live page: //p' out); }
  $ finish() { kill $pid; wait $pid; exited $?; cat err; }

The address is printed before the run. The page is one document: no file, font or script comes from elsewhere.

  $ start --tx-rate=100 --report-interval=0.2 --server=$$ --label=env=lab --label=lab_cell='pool x 512' \
  >   --label=lab_progress=3/30 --report-file=a.jsonl,a.json
  $ grep -c '^Metrics: http' out
  1
  $ live get $url / page.html; grep -c '<!DOCTYPE html>' page.html
  200 text/html; charset=utf-8
  1
  $ grep -o -E '(src|href)="[^"]*"' page.html | sort -u
  href="data:,"
  href="metrics"
  $ ! grep -E "^<!-- embed|@import|url\(" page.html
  $ case $(sysbench --version --verbose | sed -n 's/^Chart.js: //p') in no) ! grep -q 'Chart.js v3' page.html ;; *) \
  >   grep -q 'Chart.js v3' page.html ;; esac

A reader gets each row once. The figures are those of the files.

  $ live rows $url 12
  in order
  $ live agree $url a.jsonl
  many figures agree
  $ live get $url /live.json live.json
  200 application/json
  $ python3 -c \
  >   'import json; d = json.load(open("live.json")); print(d["state"], d["labels"], d["may_mark"], d["end"], '\
  > 'd["report"]["server"]["name"].split()[1])'
  running {'env': 'lab', 'lab_cell': 'pool x 512', 'lab_progress': '3/30'} True None (pid

The page may set marks. Nobody else may: another site, another port of this host, a name that leads here, a program that does not
say where it comes from.

  $ live mark $url 'from the page'
  200 the mark is set
  $ for h in Origin=http://evil.example 'Host=evil.example Origin=http://evil.example' Sec-Fetch-Site=cross-site
  > do live mark $url no $h; done
  403 the Origin of the request is not this host
  403 the Host of the request is not known here: use an IP address or localhost, or add the name, as in --metrics-listen=ADDRESS,NAME
  403 the request comes from another site
  $ live mark $url "$(printf '%1100s' x | tr ' ' x)"
  413 the text of a mark is too long
  $ live get $url /mark; live get $url /favicon.ico
  405 text/plain; charset=utf-8
  404 text/plain; charset=utf-8

Nobody reads anything by a name that is not known here: a page of another site whose name leads here could.

  $ for path in / /live.json /metrics /nothing
  > do live hosts $url $path evil.example; done | sed 's/here: .*/.../' | uniq -c | sed 's/^ *//'
  4 403 the Host of the request is not known ...
  $ live hosts $url /metrics 127.9.9.9:1 '[::1]' LocalHost:8080 $(uname -n) | uniq -c | sed 's/^ *//'
  4 200 
  $ : >end; live end $url >end & told=$!
  $ wait_for end '^running'; finish; wait $told; tail -n 1 end # the program waits for a page that asks
  exit 143
  interrupted True
  $ python3 -c 'import json; print([(m["source"], m["text"]) for m in json.load(open("a.json"))["marks"]])'
  [('page', 'from the page')]

Names, labels and marks are any text; a byte that is no UTF-8 becomes U+FFFD.

  $ script='a<b>"é.lua'; cp sleep.lua "$script"
  $ start --report-interval=0.2 --label='x=</script>'
  $ live rows $url 1 # no mark is accepted before the run
  in order
  $ live mark $url "$(printf 'caf\351 </script>')"
  200 the mark is set
  $ live get $url /live.json live.json
  200 application/json
  $ python3 -c \
  >   'import json; d = json.load(open("live.json", encoding="utf-8")); print(ascii([d["test"], d["labels"], d["marks"][0]["text"]]))'
  ['a<b>"\xe9.lua', {'x': '</script>'}, 'caf? </script>']
  $ finish
  exit 143
  $ unset script

Where others can reach it, the page only shows. They may use an address, the name of this host, also with its domain, and the names
that are given.

  $ start --report-interval=0.5 --metrics-listen=0.0.0.0:0,db1,prom.example.com
  $ url=http://127.0.0.1:${url##*:}
  $ live mark $url no
  403 marks are accepted on a loopback address only: use --mark-on, or a tunnel such as ssh -L
  $ live get $url/ /live.json live.json; grep -o '"may_mark":[a-z]*' live.json
  200 application/json
  "may_mark":false
  $ full=$(python3 -c 'import socket as s; print(s.getaddrinfo(s.gethostname(), None, flags=s.AI_CANONNAME)[0][3])' 2>/dev/null)
  $ live hosts $url /metrics 192.0.2.7 "${full:-db1}" $(uname -n):9 prom.example.com DB1:9187 db2 \
  >   prom.example.com.evil.example |
  >   sed 's/here: .*/.../' | uniq -c | sed 's/^ *//'
  5 200 
  2 403 the Host of the request is not known ...
  $ finish
  exit 143
