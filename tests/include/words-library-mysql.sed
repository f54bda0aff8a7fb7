# How libmysqlclient says what libmariadb says in the expected output (tests/cram applies it).
s/Can't connect to local server through socket/Can't connect to local MySQL server through socket/
s/error 2002: Can't connect to server on '127\.0\.0\.1' (115)/error 2003: Can't connect to MySQL server on '127.0.0.1:1' (111)/
s/Unknown server host/Unknown MySQL server host/
s/SSL is required, but the server does not support it/SSL is required but the server doesn't support it/
s/refused: it is not for '127\.0\.0\.1'/refused: IP address mismatch/
