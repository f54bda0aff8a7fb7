#!/bin/sh
# Makes ./configure from configure.ac; run once after a checkout.
# usage: ./autogen.sh
set -eu
cd "$(dirname "$0")"
exec autoreconf --install --force --warnings=all,no-obsolete,no-portability
