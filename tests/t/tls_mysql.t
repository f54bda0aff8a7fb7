Encrypted connections to MariaDB or MySQL: every mode, and the reason when one cannot be had.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/tls.sh"
  $ [ -z "$SB_NO_OWN_SERVER" ] && command -v openssl >/dev/null || skip 'no openssl, or no server of its own'
  $ cat >cipher.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >    local _, version = con:query_row("SHOW SESSION STATUS LIKE 'Ssl_version'")
  >    print(version == "" and "plain" or "encrypted " .. version)
  > end
  > END

The two client libraries wrap the reason differently; only the reason is shown here.

  $ try() {
  >   sysbench cipher.lua --mysql-db=sbtest --mysql-host=127.0.0.1 --mysql-port=$port --events=1 "$@" run >out 2>err
  >   sed -n -E -e 's/^encrypted TLSv1.3$/encrypted/' -e '/^(plain|encrypted)/p' \
  >     -e 's/^FATAL: error 2026: (TLS|SSL).* (error|failed): /refused: /' -e '/^(refused|FATAL: (error|--|Inv))/p' out
  >   cat err
  > }
  $ place=$(mktemp -d); here=$PWD; mkdir $place/tls; cd $place/tls
  $ tls_ca ca; tls_ca other; tls_cert good ca 127.0.0.1,localhost; tls_cert elsewhere ca db.example
  $ tls_cert old ca 127.0.0.1 -1; tls_cert client ca me; chmod 644 *; cp ca.pem other.pem client.pem client.key $here; cd $here
  $ begin() { "$SB_DBSERVER" start --dir=$place/db -- --innodb-buffer-pool-size=16M "$@" >env || cat env; . ./env; }
  $ end() { "$SB_DBSERVER" stop --dir=$place/db; }
  $ with() { end; begin --ssl-ca=$place/tls/ca.pem --ssl-cert=$place/tls/$1.pem --ssl-key=$place/tls/$1.key; }
  $ trap 'end; rm -rf $place' EXIT

A server without TLS. Stock's --mysql-ssl=on takes what it gets; here with a warning.

  $ begin --loose-skip-ssl    # MariaDB has TLS from 11.4 on, with a certificate of its own making
  $ if [ $engine = mysql ]; then end; begin --tls-version=; fi
  $ try; try --mysql-ssl=disabled
  plain
  plain
  $ try --mysql-ssl=preferred; try --mysql-ssl
  plain
  WARNING: --mysql-ssl=preferred, but the server has no TLS: connections are not encrypted (--mysql-ssl=required refuses that)
  plain
  WARNING: --mysql-ssl=on, but the server has no TLS: connections are not encrypted (--mysql-ssl=required refuses that)
  $ try --mysql-ssl=on --mysql-tls-version=TLSv1.2; try --mysql-ssl=preferred --mysql-tls-version=TLSv1.2
  refused: SSL is required, but the server does not support it
  plain
  WARNING: --mysql-ssl=preferred, but the server has no TLS: connections are not encrypted (--mysql-ssl=required refuses that)
  $ for mode in required "verify-ca --mysql-ssl-ca=ca.pem" "verify-identity --mysql-ssl-ca=ca.pem" "on --mysql-ssl-ca=ca.pem"; do
  >   try --mysql-ssl=$mode; done | uniq -c | sed 's/^ *//'; try --mysql-ssl-ca=ca.pem
  4 refused: SSL is required, but the server does not support it
  refused: SSL is required, but the server does not support it

A server with a certificate for this host. Modes are words in any case, '-' and '_' alike.

  $ with good
  $ try; try --mysql-ssl=off; MYSQL_PWD=of-another-account try --mysql-ssl=Disabled --mysql-password=
  plain
  plain
  plain
  $ for mode in on 1 preferred REQUIRED "VERIFY_CA --mysql-ssl-ca=ca.pem" "verify_identity --mysql-ssl-ca=ca.pem" \
  >   "on --mysql-ssl-ca=ca.pem"
  > do try --mysql-ssl=$mode; done | uniq -c | sed 's/^ *//'
  7 encrypted

What needs TLS brings it, as in the servers' own clients, unless --mysql-ssl says otherwise.

  $ try --mysql-ssl-ca=ca.pem; try --mysql-ssl-cipher=ECDHE-ECDSA-AES128-GCM-SHA256 --mysql-tls-version=TLSv1.2
  encrypted
  encrypted TLSv1.2
  $ try --mysql-ssl-ca=other.pem
  refused: self-signed certificate in certificate chain
  $ try --mysql-ssl-ca=other.pem --mysql-ssl=off
  plain
  $ known="known@'127.0.0.1'"; mariadb --no-defaults --socket=$socket --user=$admin \
  >   --execute="CREATE USER $known REQUIRE X509; GRANT ALL ON sbtest.* TO $known"
  $ printf '[client]\nuser=known\nssl-ca=%s/ca.pem\nssl-cert=%s/client.pem\nssl-key=%s/client.key\n' $here $here $here >x509.cnf
  $ try --defaults-file=x509.cnf
  encrypted
  $ file() { printf '[client]\nhost=127.0.0.1\nport=%s\nuser=sbtest\n%s\n' $port "$1" >order.cnf
  > theirs=$(mariadb --defaults-file=order.cnf -BNe "SHOW SESSION STATUS LIKE 'Ssl_version'" 2>/dev/null | grep -c TLS)
  > echo "$(echo $1): $(try --defaults-file=order.cnf 2>&1), mariadb $theirs"; }
  $ for l in "ssl=0 ssl-ca=ca.pem" "ssl-ca=ca.pem ssl=0" "skip-ssl ssl-ca=other.pem" "ssl ssl-ca=other.pem" "ssl=0 skip-ssl=0"
  > do file "$(echo $l | tr ' ' '\n')"; done
  ssl=0 ssl-ca=ca.pem: encrypted, mariadb 1
  ssl-ca=ca.pem ssl=0: plain, mariadb 0
  skip-ssl ssl-ca=other.pem: refused: self-signed certificate in certificate chain, mariadb 0
  ssl ssl-ca=other.pem: refused: self-signed certificate in certificate chain, mariadb 0
  ssl=0 skip-ssl=0: encrypted, mariadb 1
  $ try --mysql-user=known 2>&1 | sed "s/'known.*//"
  FATAL: error 1045: Access denied for user 

The wrong authority.

  $ for mode in required verify-ca verify-identity on; do try --mysql-ssl=$mode --mysql-ssl-ca=other.pem; done
  encrypted
  WARNING: --mysql-ssl=required does not verify the server's certificate, so --mysql-ssl-ca is not used (--mysql-ssl=verify-ca verifies it)
  refused: self-signed certificate in certificate chain
  refused: self-signed certificate in certificate chain
  refused: self-signed certificate in certificate chain

Stock's fixed names in the current directory, for --mysql-ssl=on alone.

  $ cp other.pem cacert.pem; try --mysql-ssl=on; try --mysql-ssl=required
  refused: self-signed certificate in certificate chain
  encrypted
  $ cp ca.pem cacert.pem; try --mysql-ssl=on; rm cacert.pem
  encrypted

A version, a key of ours, several connections, reconnects.

  $ try --mysql-ssl=required --mysql-tls-version=TLSv1.2
  encrypted TLSv1.2
  $ try --mysql-ssl=required --mysql-ssl-key=client.key --mysql-ssl-cert=client.pem
  encrypted
  $ try --mysql-ssl=required --threads=4 --events=8 | sort | uniq -c | sed 's/^ *//'
  8 encrypted
  $ sysbench again.lua --mysql-db=sbtest --mysql-host=127.0.0.1 --mysql-port=$port --mysql-ssl=verify-ca --mysql-ssl-ca=ca.pem \
  >   --events=20 run | sed -n -E 's/^ *(reconnects:) *([0-9]+).*/\1 \2/p'
  reconnects: 20

A connection that is killed is a lost connection, in clear text and encrypted: for --on-error, and for the list of errors.

  $ plain=--mysql-ssl=disabled; encrypted=--mysql-ssl=required
  $ there() { sysbench "$@" --mysql-db=sbtest --mysql-host=127.0.0.1 --mysql-port=${via:-$port} run 2>&1; }
  $ killed_is_lost "SELECT CONNECTION_ID()" "KILL %d" "SELECT COUNT(*) FROM information_schema.processlist WHERE id = %d" \
  >   --on-error=failover --mysql-ignore-errors=2013,2006,1927
  8 exit 0 reconnects: 4

A server that is far away, connects and reconnects; and one that falls silent: before its first byte, within its first answer,
within the handshake of TLS.

  $ far_and_silent 0 20 120 700
       12 reconnects:                          1
       12 the server did not answer within --connect-timeout=0.5 s

A statement without an answer, and one that is larger than what the system buffers; encrypted.

  $ long_statements "SELECT SLEEP(30)"
  no answer within --query-timeout=0.5 s
  total number of events: 1
  no answer within --query-timeout=0.5 s
  total number of events: 1

A server whose key takes longer to sign.

  $ (cd $place/tls; tls_key='-newkey rsa:4096'; tls_cert long ca 127.0.0.1; chmod 644 long.*); with long
  $ there again.lua $encrypted --workers=2 --threads=4 --events=40 | grep -oE '^FATAL.*|reconnects: *[0-9]+'
  reconnects:                          40

A certificate for another host.

  $ with elsewhere
  $ try --mysql-ssl=verify-ca --mysql-ssl-ca=ca.pem
  encrypted
  $ try --mysql-ssl=verify-identity --mysql-ssl-ca=ca.pem
  refused: it is not for '127.0.0.1'

A certificate that has expired.

  $ with old
  $ try --mysql-ssl=required
  encrypted
  $ for mode in verify-ca verify-identity; do try --mysql-ssl=$mode --mysql-ssl-ca=ca.pem; done
  refused: certificate has expired
  refused: certificate has expired

What cannot be is refused before anything starts.

  $ try --mysql-ssl=verify-ca; try --mysql-ssl-ca=nowhere.pem
  FATAL: --mysql-ssl=verify-ca needs --mysql-ssl-ca or --mysql-ssl-capath
  FATAL: --mysql-ssl-ca: cannot read 'nowhere.pem': No such file or directory
