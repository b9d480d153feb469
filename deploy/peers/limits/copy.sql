-- All jobs in one stream, which the client generates before the measurement.
copy job (payload) from stdin;
