docs/reliability.md: each promise names the tests that show it, and they exist; each drill shows one.

  $ python3 "$TESTDIR/../include/promises.py" "$SB_SOURCE"
  [0-9]+ rows, [0-9]+ drills (re)

It finds what is missing.

  $ mkdir -p copy/docs; ln -s "$SB_SOURCE/tests" "$SB_SOURCE/src" copy
  $ sed -e 's/`pause`/`paused`/' -e 's/`gone-for-good`//' "$SB_SOURCE/docs/reliability.md" >copy/docs/reliability.md
  $ python3 "$TESTDIR/../include/promises.py" copy | sed '$d'
  no test: the server does not come back
  no such test: paused (the server stands still for a while)
  no row names the drill gone-for-good
  no row names the drill pause
