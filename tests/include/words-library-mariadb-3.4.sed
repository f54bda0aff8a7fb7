# From 3.4 on libmariadb does not compare the name in a certificate with an address of this host.
s/^  refused: it is not for '127\.0\.0\.1'/  encrypted/
