docs/verdict.md: the sentences of its causes are some of those that the tests of the verdict print.

  $ unknown() { sed -n '/^## The causes/,/^## The verdict of/s/^|[^|]*| `\(.*\)` |$/\1/p' "$1" | while read -r line; do
  >   grep -qF "| $line |" "$SB_SOURCE/tests/data/verdicts.txt" || echo "$line"; done; }
  $ unknown "$SB_SOURCE/docs/verdict.md"
  $ sed 's/7500.0 s for row locks/& or so/' "$SB_SOURCE/docs/verdict.md" >verdict.md
  $ unknown verdict.md
  no: transactions waited 7500.0 s for row locks or so, 98% of their time, most of it behind own transactions that waited for a standby (SyncRep); look at it or its network, or lower the rate; 34% of the shortfall is slow transactions
