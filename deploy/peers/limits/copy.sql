-- All jobs in one stream, made up by the client beforehand.
copy job (payload) from stdin;
