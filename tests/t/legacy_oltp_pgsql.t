The built-in test oltp of 0.4, against PostgreSQL.

  $ . "$TESTDIR/../include/pgsql.sh"
  $ [ -z "$SB_NO_OWN_SERVER" ] || exit 80
  $ place=$(mktemp -d "${SB_TESTS%/*}/oltp-XXXXXX"); chmod 711 $place
  $ "$SB_DBSERVER" start --engine=postgresql --dir=$place/db --port=none -- --fsync=off --log_statement=all >env || cat env
  $ . ./env
  $ trap '"$SB_DBSERVER" stop --dir=$place/db --remove; rmdir $place' EXIT
  $ old() { sysbench --test=oltp "$@" $args 2>err; }
  $ sent() {
  >   began=$(wc -c <$log); old "$@" >out; echo "exit $?"
  >   tail -c +$((began + 1)) $log | sed -n -E 's/^.*LOG:  (statement|execute [^:]*): //p' >sent
  > }
  $ kinds() { sed -E 's/[0-9]{3,}/N/g' sent | uniq -c | sed 's/^ *//'; }
  $ counter() { sed -n -E "s/^ *$1: *([0-9]+).*/\1/p" out; }
  $ counts() { echo $(counter read) $(counter write) $(counter other) $(counter transactions); }
  $ list() { sent --compat=${dialect:-0.4} --oltp-table-size=1000 --max-requests=10 "$@" run; counts; }

Tables: SERIAL, one row a statement.

  $ sent --compat=0.4 --oltp-table-size=1000 prepare; tail -n +3 out; kinds
  $ sent --compat=0.4 cleanup; tail -n +3 out; kinds
  $ sent --compat=0.4 --oltp-auto-inc=off --oltp-secondary --oltp-table-size=2 prepare; kinds; old cleanup >out
  $ old --oltp-table-size=1000 prepare >out

A transaction; the extra UPDATE is in every dialect.

  $ list --max-requests=1; kinds
  $ dialect=L1 list
  $ list --db-ps-mode=disable

Modes.

  $ for m in simple nontrx; do list --oltp-test-mode=$m; tail -n 1 sent; done
  $ for m in update_key update_nokey delete insert; do list --oltp-test-mode=nontrx --oltp-nontrx-mode=$m; tail -n 1 sent; done
  $ list --oltp-test-mode=nontrx --oltp-nontrx-mode=insert --oltp-auto-inc=off; tail -n 1 sent
  $ old cleanup >out; old --oltp-table-size=1000 prepare >out
  $ for m in transaction query; do list --oltp-reconnect-mode=$m --oltp-connect-delay=0; done
  $ list --oltp-point-select-mysql-handler; tail -n 1 out

A serialization failure: rolled back, because PostgreSQL takes no other statement, and sent again.

  $ psql --no-psqlrc --quiet --host=$socket --username=$user --dbname=$db <<'END'
  > CREATE SEQUENCE attempts;
  > CREATE FUNCTION bad() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  >   IF nextval('attempts') = 2 THEN RAISE SQLSTATE '40P01'; END IF; RETURN NEW; END $$;
  > CREATE TRIGGER bad BEFORE UPDATE ON sbtest FOR EACH ROW EXECUTE FUNCTION bad();
  > END
  $ list --max-requests=1 --oltp-point-selects=1 --oltp-range-selects=off; kinds
