A PostgreSQL server, or whoever answers in its place, that is not to be trusted: it gets no secret that the mode does not
permit, and whatever it answers costs a connection, never the program or the report.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/report.sh"
  $ sysbench --version --verbose | grep -q '^driver: pgsql' || exit 80
  $ python3 -c 'import ssl' 2>/dev/null && command -v openssl >/dev/null || exit 80
  $ . "$TESTDIR/../include/tls.sh"; tls_ca ca; tls_cert stranger ca 127.0.0.1,localhost; tls_ca own
  $ cat >load.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect(); statement = con:prepare("SELECT 1") end
  > function event() statement:execute(); con:query("SELECT 2") end
  > function thread_done() con:disconnect() end
  > END
  $ hostile() { mkdir $1; python3 "$TESTDIR/../include/hostile_pgsql.py" "$@" 2>$1/err & pids="$pids $!"; wait_for $1/port '^[0-9]'; }
  $ trap 'kill $pids; wait' EXIT; hostile plain; hostile tls stranger.pem stranger.key
  $ at() { at_port=$(cat $1/port) at_db=$2; shift 2
  > timeout 60 sysbench load.lua --db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port=$at_port --pgsql-db="$at_db" \
  >   --pgsql-password=HUNTER2PW --threads=2 "$@" run >out 2>err
  > }
  $ received() { echo $(sed -n -E 's/^[a-z]* (plain|tls) .*(HUNTER2PW|md5)[0-9a-f]*.*/\1 \2/p' $1/got | sort -u); }

The password in clear text, by sslmode: whoever refuses TLS gets it only where the mode does without, and whoever has a
certificate that cannot be verified only where the mode does not verify.

  $ for where in plain tls; do for mode in disable allow prefer require verify-ca verify-full; do for w in 0 1; do
  >   : >$where/got; case $mode in verify*) export PGSSLROOTCERT=own.pem ;; *) export PGSSLROOTCERT=none.pem ;; esac
  >   at $where cleartext --pgsql-sslmode=$mode $(carried $w); [ $? = 1 ] || echo "$where $mode $w: no error"; cat err
  >   echo \
  >     "$where $mode: $(grep -a -o -m 1 -E 'nobody is let in here|does not support SSL|certificate verify failed' out); "\
  > "got $(received $where)"
  > done | uniq -c; done; done
        2 plain disable: nobody is let in here; got plain HUNTER2PW
        2 plain allow: nobody is let in here; got plain HUNTER2PW
        2 plain prefer: nobody is let in here; got plain HUNTER2PW
        2 plain require: does not support SSL; got 
        2 plain verify-ca: does not support SSL; got 
        2 plain verify-full: does not support SSL; got 
        2 tls disable: nobody is let in here; got plain HUNTER2PW
        2 tls allow: nobody is let in here; got plain HUNTER2PW tls HUNTER2PW
        2 tls prefer: nobody is let in here; got plain HUNTER2PW tls HUNTER2PW
        2 tls require: nobody is let in here; got tls HUNTER2PW
        2 tls verify-ca: certificate verify failed; got 
        2 tls verify-full: certificate verify failed; got 

With channel_binding=require nobody gets a password, or its hash.

  $ for where in plain tls; do for db in cleartext md5 welcome; do
  >   : >$where/got; at $where "dbname=$db channel_binding=require"; PGCHANNELBINDING=require at $where $db $(carried 1)
  >   echo "$where $db: $(grep -a -o -m 1 'channel binding.*' out); got $(received $where)"
  > done; done; unset PGSSLROOTCERT
  plain cleartext: channel binding required but not supported by server's authentication request; got 
  plain md5: channel binding required but not supported by server's authentication request; got 
  plain welcome: channel binding required, but server authenticated client without channel binding; got 
  tls cleartext: channel binding required but not supported by server's authentication request; got 
  tls md5: channel binding required but not supported by server's authentication request; got 
  tls welcome: channel binding required, but server authenticated client without channel binding; got 

Other ways to ask for a password, and none; --connect-timeout also ends the computing of SCRAM.

  $ for db in md5 kerberos unknown control
  > do
  >   for w in 0 1
  >   do : >plain/got; at plain $db $(carried $w); echo "$db: exit $?, got $(received plain)"; cat err; done
  > done | uniq -c
        2 md5: exit 1, got 
        2 kerberos: exit 1, got 
        2 unknown: exit 1, got 
        2 control: exit 1, got 
  $ ! grep "$(printf '\033')" out err
  $ for w in 0 1
  > do
  >   at plain scram --connect-timeout=0.2 $(carried $w); exited $?; grep -a -o -m 1 'the server did not.*' out
  >   cat err
  > done | sort | uniq -c
        2 exit 1
        2 the server did not answer within --connect-timeout=0.2 s

Clear text to another host without TLS: one line. To this one none.

  $ here=$(hostname -I 2>/dev/null | cut -d ' ' -f 1)
  $ for w in 0 1
  > do for db in cleartext md5; do if [ "$here" ]; then at plain $db --pgsql-host=$here $(carried $w); cat err; elif [ \
  >   $db = cleartext ]; then
  >   echo \
  >     "WARNING: The server at HERE asked for the password in clear text, and gets it over a connection without encryption "\
  > "(see --pgsql-sslmode)."
  >   fi; done
  > done | sed "s/ at $here / at HERE /" | uniq -c
        2 WARNING: The server at HERE asked for the password in clear text, and gets it over a connection without encryption (see --pgsql-sslmode).

What a login is answered with, and what a run is answered with after a while: an error that ends the run, with the report
and its accounts; with errors ignored, the clients come back.

  $ names() { sed -n '/^BROKEN/,/^}/s/^    "\([a-z]*\)".*/\1/p' "$TESTDIR/../include/hostile_pgsql.py"; }
  $ for db in $(names); do at plain $db-early --connect-timeout=5 $(carried 0); [ $? = 1 ] || echo "$db-early: exit $?"; done; cat err
  $ some="--events=60 --time=60 --tx-rate=400"
  $ for db in $(names); do
  >   at plain $db $some --report-file=$db.0.json $(carried 0); exited $?
  >   at plain $db $some --pgsql-ignore-errors=all --report-file=$db.1.json $(carried 1); echo "worker: exit $?"
  > done | sort | uniq -c
       17 exit 1
       18 worker: exit 0
  $ for db in rows silence
  > do
  >   for w in 0 1
  >   do at plain $db $some --query-timeout=0.3 --report-file=$db.$w.json $(carried $w); exited $?; done
  > done | uniq -c
        4 exit 1
  $ set -- *.json; report balance "$@"; echo $#
  40
  $ cat plain/err tls/err

No query is answered: the record of the server's variables waits 5 s, or until a signal.

  $ echo 'function thread_init() con = sysbench.sql.driver():connect() end function event() end' >load.lua
  $ why() { python3 -c 'import json; print(json.load(open("r.json"))["environment"]["missing"]["server.variable"])'; }
  $ at plain mute --events=1 --report-file=r.json; exited $?; why
  no answer within 5 s
  $ : >plain/got
  > sysbench load.lua --db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port=$at_port --pgsql-db=mute \
  >   --report-file=r.json run >out 2>err &
  > pid=$!
  $ wait_for plain/got pg_settings; kill $pid; wait $pid; exited $?; why
  exit 143
  a signal ended the wait for an answer
