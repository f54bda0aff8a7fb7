A MySQL server that means no good: no secret and no file leaves, nothing crashes, nothing steers the terminal.

  $ . "$TESTDIR/../include/common.sh"; . "$TESTDIR/../include/tls.sh"
  $ needs_mysql; command -v openssl >/dev/null || exit 80
  $ tls_ca ca; tls_ca other; tls_cert good ca 127.0.0.1; tls_cert foreign other 127.0.0.1; tls_cert old ca 127.0.0.1 -1
  $ cat >s.lua <<'EOF'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() con:query("SELECT 'file'") con:prepare("SELECT 3"):execute() con:query("SELECT 4") end
  > EOF

meet SERVER OPTIONS...: runs with each --mysql-ssl=OPTIONS, on a thread and on a worker; how they ended (those together that
ended alike), and what the server has got: nothing, a request for TLS, the words that nobody else should know.

  $ begin() { : >port; python3 "$TESTDIR/../include/hostile_mysql.py" port rec $1 & server=$!; wait_for port .; }
  $ end() { kill $server; wait $server 2>/dev/null || :; }
  $ got() { case $(stat -c %s rec) in 0) echo nothing;; 36) echo a request;; *) grep -a -o -E 'whoever|hunter2|CANARY' \
  >   rec | sort -u | xargs;; esac
  > }
  $ run() {
  >   : >rec
  >   sysbench ${script:-s.lua} --mysql-host=127.0.0.1 --mysql-port=$(cat port) --mysql-user=whoever \
  >     --mysql-password=hunter2 --events=1 --time=20 --mysql-ssl="$@" ${command:-run} >out 2>err
  >   { echo "${1%% *}: exit $?, got $(got)"
  >     sed -n -E -e 's/clear text, and the .*/clear text/' -e 's/(error 2013): .*/\1/' -e \
  >       's/^FATAL: (.*returned )?(error [0-9]+)/\2/p' out
  >     grep -v -E '^WARNING: --mysql-ssl=(on|preferred), ' err; } | paste -sd '|' | sed 's/|/, /'
  > }
  $ together() { awk -F ': ' '{ how = $0; sub(/^[^:]*/, "", how) } NR > 1 && how != last { print names last; names = "" }
  >   { names = names (names == "" ? "" : " ") $1; last = how } END { print names last }'; }
  $ meet() { begin "$1"; shift; for options in "$@"
  > do for w in 0 1; do run $options --workers=$w >got$w; done; diff got0 got1 && cat got0; done | together; end; }
  $ all() { meet "$1" off preferred on required "verify-ca --mysql-ssl-ca=ca.pem" "on --mysql-ssl-ca=ca.pem" \
  >   "verify-identity --mysql-ssl-ca=ca.pem"
  > }

It offers no TLS.  Where TLS is required, not even the user's name leaves; elsewhere the password does not.

  $ begin login=switch:mysql_clear_password,ok; run off >got0; grep '^FATAL: error' out; end
  FATAL: error 2061: The server asks for the password in clear text, and the connection is not encrypted: --mysql-ssl=required encrypts it, --mysql-cleartext allows it
  $ all login=switch:mysql_clear_password,ok
  off preferred on: exit 1, got whoever, error 2061: The server asks for the password in clear text
  required verify-ca on verify-identity: exit 1, got nothing, error 2026: TLS/SSL error: SSL is required, but the server does not support it
  $ meet login=switch:dialog/\\x04Password,ok off required
  off: exit 1, got whoever, error 2061: The server asks for the password in clear text
  required: exit 1, got nothing, error 2026: TLS/SSL error: SSL is required, but the server does not support it
  $ meet greeting=mysql_clear_password off required
  off: exit 1, got nothing, error 2061: The server asks for the password in clear text
  required: exit 1, got nothing, error 2026: TLS/SSL error: SSL is required, but the server does not support it
  $ meet login=switch:mysql_clear_password,ok "off --mysql-cleartext" "required --mysql-cleartext"
  off: exit 0, got hunter2 whoever
  required: exit 1, got nothing, error 2026: TLS/SSL error: SSL is required, but the server does not support it

It asks for the whole password of an account with SHA-2, and gets it encrypted with its key. Through a socket, MySQL's
server expects that of caching_sha2_password in clear text.

  $ openssl genrsa 1024 2>/dev/null | openssl rsa -pubout -out key.pem 2>/dev/null
  $ meet login=switch:caching_sha2_password,full,key:key.pem,ok off preferred on "preferred --mysql-cleartext" required
  off preferred on preferred: exit 0, got whoever
  required: exit 1, got nothing, error 2026: TLS/SSL error: SSL is required, but the server does not support it
  $ meet "greeting=caching_sha2_password login=full,key:key.pem,ok" off preferred on
  off preferred on: exit 0, got whoever
  $ meet "tls=good login=switch:caching_sha2_password,full,ok" preferred required
  preferred required: exit 0, got hunter2 whoever
  $ meet login=switch:sha256_password,key:key.pem,ok off preferred on required
  off preferred on: exit 0, got whoever
  required: exit 1, got nothing, error 2026: TLS/SSL error: SSL is required, but the server does not support it
  $ for login in switch:caching_sha2_password,full,ok switch:sha256_password,key:key.pem,ok \
  >   switch:mysql_clear_password,ok
  > do meet "socket=sock login=$login" "off --mysql-socket=sock" "preferred --mysql-socket=sock"; rm sock; done
  off preferred: exit 0, got hunter2 whoever
  off preferred: exit 0, got whoever
  off preferred: exit 1, got whoever, error 2061: The server asks for the password in clear text
  $ meet login=switch:caching_sha2_password,full,bytes:01,ok off preferred
  off preferred: exit 1, got whoever, error 2061: The server has no key that encrypts the password, and the connection is not encrypted: --mysql-ssl=required encrypts it

It asks for the password scrambled as before MySQL 4.1, which is as good as clear text.

  $ for login in switch:mysql_old_password,ok bytes:fe,ok; do meet login=$login off preferred; done
  off preferred: exit 1, got whoever, error 2061: The server asks for the password in clear text
  off preferred: exit 1, got whoever, error 2061: The server asks for the password in clear text
  $ meet "tls=good login=switch:mysql_old_password,ok" preferred
  preferred: exit 0, got whoever

It offers TLS, and has a certificate that somebody else signed, or the right one.

  $ all "tls=foreign login=switch:mysql_clear_password,ok"
  off: exit 1, got whoever, error 2061: The server asks for the password in clear text
  preferred on required: exit 0, got hunter2 whoever
  verify-ca on verify-identity: exit 1, got a request, error 2026: TLS/SSL error: unable to get local issuer certificate
  $ meet "tls=good login=switch:mysql_clear_password,ok" preferred required "verify-ca --mysql-ssl-ca=ca.pem" \
  >   "verify-identity --mysql-ssl-ca=ca.pem"
  preferred required verify-ca verify-identity: exit 0, got hunter2 whoever
  $ meet "tls=good greeting=mysql_clear_password" off required
  off: exit 1, got nothing, error 2061: The server asks for the password in clear text
  required: exit 0, got hunter2 whoever
  $ meet "tls=good login=switch:dialog/\\x04Password,ok" preferred
  preferred: exit 0, got hunter2 whoever
  $ meet "tls=good login=switch:dialog/\\x04Password,switch:dialog/\\x02Card,ok" required
  required: exit 1, got hunter2 whoever, error 2061: The server asks for more than the password

Only the first connection gets TLS.

  $ echo 'function event() local con = sysbench.sql.driver():connect() con:reconnect() end' >again.lua
  $ for w in 0 1
  > do
  >   begin "tls=good first=1"; script=again.lua run required --workers=$w; end; begin "tls=good first=1"
  >   run required --workers=$w --idle-connections=1; end
  > done | sort | uniq -c
        2 required: exit 0, got whoever, error 2026: TLS/SSL error: SSL is required, but the server does not support it
        2 required: exit 1, got whoever, error 2026: TLS/SSL error: SSL is required, but the server does not support it

Two hosts that fail for two reasons.

  $ begin tls=foreign; mv port port1; first=$server; begin tls=old
  $ sysbench s.lua --mysql-host=127.0.0.1 --mysql-port=$(cat port1),$(cat port) --threads=2 --workers=1 \
  >   --mysql-ssl=verify-ca --mysql-ssl-ca=ca.pem --verbosity=5 run 2>/dev/null |
  >   grep '^FATAL' | grep -o -e 'port [0-9]*' -e 'error: .*' | paste -d ' ' - - | sort -k 3 |
  >   sed "s/$(cat port1)/of the foreign one/; s/$(cat port)/of the old one/"
  port of the old one error: certificate has expired
  port of the foreign one error: unable to get local issuer certificate
  $ end; kill $first

It asks for a file that no statement names.

  $ echo CANARY >file; echo hunter2 >secret
  $ for where in query execute; do meet $where=file:file,ok off "off --mysql-local-infile=off"; done
  off: exit 1, got whoever, error 2000 (The server asked for a file that the statement does not name: file) for query 'SELECT 'file''
  off: exit 1, got whoever, error 2000 (Load data local infile forbidden) for query 'SELECT 'file''
  off: exit 1, got whoever, error 2000 (The server asked for a file that the statement does not name: file) for query 'SELECT 3'
  off: exit 1, got whoever, error 2000 (Load data local infile forbidden) for query 'SELECT 3'
  $ for where in login prepare; do meet $where=bytes:fb66696c65,end off "off --mysql-local-infile=off"; done
  off off: exit 1, got whoever, error 2013
  off off: exit 1, got whoever
  $ meet query=file:%n%s,ok off
  off: exit 1, got whoever, error 2000 (The server asked for a file that the statement does not name: ?n?s) for query 'SELECT 'file''
  $ command=prepare script=oltp_point_select meet query=file:file,ok off
  off: exit 1, got whoever, error 2000 (The server asked for a file that the statement does not name: file) for query 'CREATE TABLE sbtest1(

A statement that names a file.

  $ echo "function event() sysbench.sql.driver():connect():query([[LOAD DATA LOCAL INFILE 'file' INTO TABLE t]]) end" >load.lua
  $ echo "function event() sysbench.sql.driver():connect():query([[/* LOCAL INFILE 'file' */ SELECT 1]]) end" >said.lua
  $ script=said.lua meet query=file:file,ok off
  off: exit 1, got whoever, error 2000 (The server asked for a file that the statement does not name: file) for query '/* LOCAL INFILE 'file' */ SELECT 1'
  $ script=load.lua meet query=file:file,ok off "off --mysql-local-infile=off"; script=load.lua meet query=file:secret,ok off
  off: exit 0, got CANARY whoever
  off: exit 1, got whoever, error 2000 (Load data local infile forbidden) for query 'LOAD DATA LOCAL INFILE 'file' INTO TABLE t'
  off: exit 1, got whoever, error 2000 (The server asked for a file that the statement does not name: secret) for query 'LOAD DATA LOCAL INFILE 'file' INTO TABLE t'

Broken, repeated and endless packets cost the connection, and not the report.

  $ broken="more,more;more;bytes:;bytes:00;bytes:fe;bytes:ff;bytes:fc;bytes:fcffff,ok;"\
  > "bytes:feffffffffffffffff;bytes:01,bytes:03646566,ok;bytes:00010000000100ffff0000;huge;error:text"
  $ cat >broken.lua <<'EOF'
  > function event()
  >    for i = 1, 13 * 3 do
  >       local con = sysbench.sql.driver():connect()
  >       if i % 3 == 1 then pcall(con.query, con, "SELECT 1") end
  >       if i % 3 == 2 then pcall(con.prepare, con, "SELECT 2") end
  >       if i % 3 == 0 then local s = con:prepare("SELECT 3") pcall(s.execute, s) pcall(con.query, con, "SELECT 4") s:close() end
  >       pcall(con.disconnect, con) -- which may find an error among results that nobody has read
  >    end
  > end
  > EOF
  $ begin broken="$broken"; for w in 0 1
  > do script=broken.lua run off --workers=$w | cut -d , -f 1,2; grep 'total number of events' out; done | sort | uniq -c; end
        2     total number of events:              1
        2 off: exit 0, got whoever

Its texts.

  $ meet "greet=error:\\x1b]0;title\\x07\\xc2\\x9b1m\\xc3\\xa9" off
  off: exit 1, got nothing, error 1040: \\x1b]0;title\\x07\\x9b1m\xc3\xa9 (esc)
  $ meet "query=error:\\x1b[2J\\x9b2Jgone" off
  off: exit 1, got whoever, error 1040 (\x1b[2J\x9b2Jgone) for query 'SELECT 'file''

Logins are good, queries are never answered: the record of the server's variables waits 5 s, or until a signal.

  $ echo 'function thread_init() con = sysbench.sql.driver():connect() end function event() end' >idle.lua
  $ why() { python3 -c 'import json; print(json.load(open("r.json"))["environment"]["missing"]["server.variable"])'; }
  $ begin query=silence; silent="idle.lua --mysql-host=127.0.0.1 --mysql-port=$(cat port) --events=1 --report-file=r.json run"
  $ timeout -k 1 100 sysbench $silent >out; exited $?; why
  no answer within 5 s
  $ for sig in INT TERM
  > do
  >   : >rec; env --default-signal=INT sysbench $silent >out 2>err & pid=$!
  >   wait_for rec SHOW; kill -$sig $pid; wait $pid || exited $?; why
  > done
  exit 130
  a signal ended the wait for an answer
  exit 143
  a signal ended the wait for an answer
  $ : >rec; sysbench $silent --server-status >out 2>err & pid=$!; wait_for rec SHOW; kill $pid; was=$(date +%s%N)
  > wait $pid || exited $?; timed 0 3000 $((($(date +%s%N) - was) / 1000000)); end
  exit 143
