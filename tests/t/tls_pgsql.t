Encrypted connections to PostgreSQL: every mode of libpq, and the reason when one cannot be had.

  $ . "$TESTDIR/../include/pgsql.sh"; . "$TESTDIR/../include/tls.sh"
  $ [ -z "$SB_NO_OWN_SERVER" ] && command -v openssl >/dev/null || skip 'no openssl, or no server of its own'
  $ cat >cipher.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >   print(con:query_row("SELECT CASE WHEN ssl THEN 'encrypted' ELSE 'plain' END FROM pg_stat_ssl WHERE pid = pg_backend_pid()")) end
  > END
  $ try() {
  >   mode=$1; shift
  >   sysbench cipher.lua $args --pgsql-host=127.0.0.1 --pgsql-sslmode=$mode --events=1 "$@" run >out 2>err
  >   sed -n -E -e '/^(plain|encrypted)/p' -e 's/^FATAL: Connection .* failed: (SSL error: )?/refused: /p' out |
  >     sed -E 's/ \(and 1 other name\)//'
  >   cat err
  > }

A directory that the server's user can enter, with certificates that it may read.

  $ place=$(mktemp -d "${SB_TESTS%/*}/tls-XXXXXX"); chmod 711 $place
  $ "$SB_DBSERVER" start --engine=postgresql --dir=$place/db >env || cat env
  $ . ./env
  $ trap '"$SB_DBSERVER" stop --dir=$dir --remove; rmdir $place' EXIT
  $ tls_ca ca; tls_ca other; tls_cert good ca 127.0.0.1,localhost; tls_cert elsewhere ca db.example; tls_cert old ca 127.0.0.1 -1
  $ for c in good elsewhere old
  > do
  >   cp $c.pem $c.key $dir/data/; chown $admin $dir/data/$c.key; chmod 644 $dir/data/$c.pem; chmod 600 $dir/data/$c.key
  > done
  $ with() { "$SB_DBSERVER" restart --dir=$dir -- --ssl=on --ssl-cert-file=$1.pem --ssl-key-file=$1.key >env || cat env; . ./env; }

A server without TLS.

  $ for mode in disable allow prefer; do try $mode; done
  plain
  plain
  plain
  $ try require
  refused: server does not support SSL, but SSL was required
  $ PGSSLROOTCERT=ca.pem try verify-full
  refused: server does not support SSL, but SSL was required

A certificate for this host.

  $ with good
  $ for mode in disable allow prefer require; do try $mode; done
  plain
  plain
  encrypted
  encrypted
  $ export PGSSLROOTCERT=ca.pem; for mode in require verify-ca verify-full; do try $mode; done
  encrypted
  encrypted
  encrypted
  $ PGSSLROOTCERT= try require --pgsql-db="sbtest sslrootcert=ca.pem sslmode=verify-full"
  encrypted

A connection that is killed is a lost connection, in clear text and encrypted.

  $ plain=--pgsql-sslmode=disable; encrypted=--pgsql-sslmode=require
  $ there() { sysbench "$@" $args --pgsql-host=127.0.0.1 --pgsql-port=${via:-$port} run 2>&1; }
  $ killed_is_lost "SELECT pg_backend_pid()" "SELECT pg_terminate_backend(%d)" \
  >   "SELECT COUNT(*) FROM pg_stat_activity WHERE pid = %d" --on-error=failover
  4 exit 0 reconnects: 4

A server that is far away, connects and reconnects; and one that falls silent: before its first byte, within its first answer,
within the handshake of TLS.

  $ far_and_silent 0 1 500
       12 reconnects:                          1
       10 the server did not answer within --connect-timeout=0.5 s

A statement without an answer, and one that is larger than what the system buffers; encrypted.

  $ long_statements "SELECT pg_sleep(30)"
  no answer within --query-timeout=0.5 s
  total number of events: 1
  no answer within --query-timeout=0.5 s
  total number of events: 1

SCRAM bound to the certificate.

  $ psql --no-psqlrc -q --host=${socket%/*} --port=$port --username=$admin --dbname=postgres -c \
  >   "SET password_encryption = 'scram-sha-256'" -c "CREATE ROLE bound LOGIN PASSWORD 'secret'"
  $ echo 'host all bound all scram-sha-256' >>$dir/data/pg_hba.conf; kill -HUP $pid; wait_for $log 'reloading configuration'
  $ bound() { mode=$1; shift; try $mode --pgsql-user=bound --pgsql-password=secret "$@"; }
  $ bound require --pgsql-db="dbname=sbtest channel_binding=require"; PGCHANNELBINDING=require bound verify-full; bound disable
  encrypted
  encrypted
  plain
  $ PGCHANNELBINDING=require bound disable
  refused: channel binding required, but SSL not in use

The wrong authority, none, one that cannot be read.

  $ PGSSLROOTCERT=other.pem try verify-ca
  refused: certificate verify failed (unable to get local issuer certificate)
  $ PGSSLROOTCERT=nowhere.pem try verify-ca
  refused: root certificate file "nowhere.pem" does not exist
  $ echo garbage >garbage.pem; PGSSLROOTCERT=garbage.pem try verify-ca | sed 's/": .*/": .../'
  refused: could not read root certificate file "garbage.pem": ...

A certificate for another host, and one that has expired.

  $ with elsewhere
  $ try verify-ca; try verify-full
  encrypted
  refused: server certificate for "db.example" does not match host name "127.0.0.1"
  $ with old
  $ PGSSLROOTCERT= try require; try verify-ca
  encrypted
  refused: certificate verify failed (certificate has expired)
