-- All jobs in one stream, which the client generates before.
copy job (payload) from stdin;
