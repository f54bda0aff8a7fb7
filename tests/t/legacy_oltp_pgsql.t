The built-in test oltp of 0.4, against PostgreSQL.

  $ . "$TESTDIR/../include/pgsql.sh"
  $ own_server --engine=postgresql --port=none -- --fsync=off --log_statement=all
  $ old() { sysbench --test=oltp "$@" $args 2>err; }
  $ sent() {
  >   began=$(wc -c <$log); old "$@" >out; exited $?
  >   tail -c +$((began + 1)) $log | sed -n -E 's/^.*LOG:  (statement|execute [^:]*): //p' >sent
  > }
  $ kinds() { sed -E 's/[0-9]{3,}/N/g' sent | uniq -c | sed 's/^ *//'; }
  $ counter() { sed -n -E "s/^ *$1: *([0-9]+).*/\1/p" out; }
  $ counts() { echo $(counter read) $(counter write) $(counter other) $(counter transactions); }
  $ list() { sent --compat=${dialect:-0.4} --oltp-table-size=1000 --max-requests=10 "$@" run; counts; }

Tables: SERIAL, one row a statement.

  $ sent --compat=0.4 --oltp-table-size=1000 prepare; tail -n +3 out; kinds
  Creating table 'sbtest'...
  Creating 1000 records in table 'sbtest'...
  1 CREATE TABLE sbtest (id SERIAL, k integer DEFAULT '0' NOT NULL, c char(N) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL, PRIMARY KEY  (id) )
  1 CREATE INDEX k on sbtest(k)
  1 BEGIN
  1000 INSERT INTO sbtest(k, c, pad) VALUES (0,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt')
  1 COMMIT
  $ sent --compat=0.4 cleanup; tail -n +3 out; kinds
  Dropping table 'sbtest'...
  Done.
  1 DROP TABLE sbtest
  $ sent --compat=0.4 --oltp-auto-inc=off --oltp-secondary --oltp-table-size=2 prepare; kinds; old cleanup >out
  1 CREATE TABLE sbtest (id INTEGER NOT NULL, k integer DEFAULT '0' NOT NULL, c char(N) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL )
  1 CREATE INDEX k on sbtest(k)
  1 CREATE INDEX xid on sbtest(id)
  1 BEGIN
  1 INSERT INTO sbtest(id, k, c, pad) VALUES (1,0,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt')
  1 INSERT INTO sbtest(id, k, c, pad) VALUES (2,0,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt')
  1 COMMIT
  $ old --oltp-table-size=1000 prepare >out

A transaction; the extra UPDATE is in every dialect.

  $ list --max-requests=1; kinds
  14 5 2 1
  1 BEGIN
  10 SELECT c from sbtest where id=$1
  1 SELECT c from sbtest where id between $1 and $2
  1 SELECT SUM(K) from sbtest where id between $1 and $2
  1 SELECT c from sbtest where id between $1 and $2 order by c
  1 SELECT DISTINCT c from sbtest where id between $1 and $2 order by c
  1 UPDATE sbtest set k=k+1 where id=$1
  1 UPDATE sbtest set c=$1 where id=$2
  1 UPDATE sbtest set k=k+1 where id=$1
  1 DELETE from sbtest where id=$1
  1 INSERT INTO sbtest values($1,0,' ','aaaaaaaaaaffffffffffrrrrrrrrrreeeeeeeeeeyyyyyyyyyy')
  1 COMMIT
  $ dialect=0.4 list
  140 50 20 10
  $ list --db-ps-mode=disable
  140 50 20 10

Modes.

  $ mode() { list "$@" >count; echo $(cat count) / "$(tail -n 1 sent)"; }
  $ for m in simple nontrx; do mode --oltp-test-mode=$m; done
  10 0 0 10 / SELECT c from sbtest where id=$1
  10 0 0 10 / SELECT pad from sbtest where id=$1
  $ for m in update_key update_nokey delete insert; do mode --oltp-test-mode=nontrx --oltp-nontrx-mode=$m; done
  0 10 0 10 / UPDATE sbtest set k=k+1 where id=$1
  0 10 0 10 / UPDATE sbtest set c=$1 where id=$2
  0 10 0 10 / DELETE from sbtest where id=$1
  0 10 0 10 / INSERT INTO sbtest(k, c, pad) values($1,$2,$3)
  $ mode --oltp-test-mode=nontrx --oltp-nontrx-mode=insert --oltp-auto-inc=off
  0 10 0 10 / INSERT INTO sbtest values($1,$2,$3,$4)
  $ old cleanup >out; old --oltp-table-size=1000 prepare >out
  $ for m in transaction query; do list --oltp-reconnect-mode=$m --oltp-connect-delay=0; done
  140 50 30 10
  140 50 180 10
  $ list --oltp-point-select-mysql-handler | head -n 1; tail -n 1 out
  exit 1
  FATAL: --oltp-point-select-mysql-handler is for the driver mysql

A serialization failure: rolled back, because PostgreSQL takes no other statement, and sent again.

  $ psql --no-psqlrc --quiet --host=${socket%/*} --username=$user --dbname=$db <<'END'
  > CREATE SEQUENCE attempts;
  > CREATE FUNCTION bad() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  >   IF nextval('attempts') = 2 THEN RAISE SQLSTATE '40P01'; END IF; RETURN NEW; END $$;
  > CREATE TRIGGER bad BEFORE UPDATE ON sbtest FOR EACH ROW EXECUTE FUNCTION bad();
  > END
  $ list --max-requests=1 --oltp-point-selects=1 --oltp-range-selects=off; sed 's/ .*//' sent | uniq -c | xargs
  2 6 3 1
  1 BEGIN 1 SELECT 2 UPDATE 1 ROLLBACK 1 BEGIN 1 SELECT 3 UPDATE 1 DELETE 1 INSERT 1 COMMIT
