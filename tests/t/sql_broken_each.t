A server that breaks the protocol, or whoever is between it and the client: no answer is taken for that of another statement,
none is kept without a limit, and each costs the connection, as the classes of --on-error say.

  $ . "$TESTDIR/../include/$DB.sh"; . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/tls.sh"
  $ python3 -c 'import ssl' 2>/dev/null && command -v openssl >/dev/null || exit 80
  $ tls_ca ca; tls_cert own ca 127.0.0.1
  $ cat >load.lua <<'END'
  > sysbench.cmdline.options = {place = {"", ""}, text = {"", false}, fetch = {"", true}, close = {"", ""},
  >    size = {"", 0}}
  > require("ffi").cdef("int usleep(unsigned us);")
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >    local n, type, rs = math.random(1000000), sysbench.opt.db_driver == "mysql" and "SIGNED" or "BIGINT"
  >    events = (events or 0) + 1
  >    local big = string.rep("x", events % 6 == 0 and sysbench.opt.size or 0) -- after a turn of the server
  >    if sysbench.opt.text then
  >       rs = con:query("SELECT " .. n .. ", REPEAT('x', 50) -- " .. big)
  >    else
  >       if not st then
  >          st = con:prepare("SELECT CAST(? AS " .. type .. "), LEFT(CONCAT(?, REPEAT('x', 50)), 50)")
  >          number, more = st:bind_create(sysbench.sql.type.BIGINT), st:bind_create(sysbench.sql.type.VARCHAR, sysbench.opt.size)
  >          st:bind_param(number, more)
  >       end
  >       number:set(n)
  >       more:set(big)
  >       rs = st:execute()
  >    end
  >    local row = sysbench.opt.fetch and rs:fetch_row()
  >    if sysbench.opt.fetch and (not row or tonumber(row[1]) ~= n) then print("WRONG") end
  >    if sysbench.opt.close == "gc" then st = nil collectgarbage() collectgarbage() end
  >    if sysbench.opt.close == "now" then local was = st st = nil was:close() end
  >    local busy = io.open(sysbench.opt.place .. "/busy")
  >    while busy do busy:close() require("ffi").C.usleep(1000) busy = io.open(sysbench.opt.place .. "/busy") end
  > end
  > END
  $ if [ $DB = mysql ]; then at=$SB_MYSQL_SOCKET user="--mysql-user=$SB_MYSQL_USER --mysql-db=$SB_MYSQL_DB"
  > else at=$SB_PGSQL_PORT user="--pgsql-user=$SB_PGSQL_USER --pgsql-db=$SB_PGSQL_DB"; fi
  $ trap 'kill $pids; wait' EXIT
  $ for place in plain tls; do
  >   mkdir $place; echo >$place/how; [ $place = plain ] || with="own.pem own.key"
  >   python3 "$TESTDIR/../include/tamper.py" $place $DB $at $with 2>$place/err & pids="$pids $!"; wait_for $place/port .
  > done

broken PLACE HOW CLASS OPTIONS...: says what is wrong.

  $ cp "$TESTDIR/../include/cram_sql_broken.py" broken.py
  $ broken() { place=$1 how=$2 class=$3; shift 3; echo $how >$place/how; : >$place/did; rm -f $place/busy
  > timeout 60 sysbench load.lua --db-driver=$DB --$DB-host=127.0.0.1 --$DB-port=$(cat $place/port) $user --place=$place \
  >   --on-error=connection:reconnect,cancelled:fail --tx-rate=500 --events=16 --time=60 --max-result-size=1M \
  >   --server-waits=off --report-file=a.json "$@" run >out 2>err || echo "$how $*: exit $?"
  > cat err; python3 broken.py "$how $*" $class a.json $(grep -c WRONG out) $(wc -c <$place/did)
  > }
  $ only() { [ $DB = $1 ] && echo "$2" || :; }
  $ for w in 0 1 s; do
  >   for how in again later extra short $(only mysql "on number"); do broken plain $how connection $(carried $w); done
  >   broken plain endless cancelled $(carried $w); broken plain endless cancelled --fetch=off $(carried $w)
  >   for how in silent $(only mysql "more results"); do broken plain $how cancelled --query-timeout=0.5 $(carried $w); done
  > done

One that sends without a pause, and one that reads nothing: the limit is looked at, and closing the connection has one, too.
Each way of carrying clients, of answers and of the connection meets each of the others.

  $ [ $DB = pgsql ] && tls=--pgsql-sslmode=require || tls=--mysql-ssl=required
  $ for options in "" $tls $(only mysql --mysql-protocol=library); do
  >   [ "$options" = $tls ] && place=tls ways="0,on 1,off" || place=plain ways="0,off 1,on"
  >   for way in $(short_or_long "$ways" "0,off 0,on 1,off 1,on"); do
  >     more="--query-timeout=0.3 --text=${way#*,} $options $(carried ${way%,*})"
  >     broken $place endless late --max-result-size=1G $more
  >     broken $place deaf late --size=6000000 $more
  >   done
  > done

What a statement leaves unread when it is closed, or lost to the collector.

  $ for w in 0 1 s; do for options in --mysql-protocol=auto --mysql-protocol=library; do for close in now gc; do
  >   only mysql "$w $options $close" | while read w options close; do
  >     broken plain more cancelled --query-timeout=0.5 --close=$close $options $(carried $w)
  >   done
  > done; done; done

Plain queries; the client library; with TLS, under which nobody can tell what comes later.

  $ for how in again later extra short; do broken plain $how connection --text=on --workers=0; done
  $ broken plain endless cancelled --text=on --workers=1
  $ for w in 0 1; do for options in $tls $(only mysql --mysql-protocol=library); do
  >   [ $options = $tls ] && place=tls || place=plain
  >   for how in again extra short; do broken $place $how connection $options $(carried $w); done
  >   broken $place endless cancelled $options $(carried $w)
  >   broken $place silent cancelled --query-timeout=0.5 $options $(carried $w)
  > done; done
  $ cat plain/err tls/err
