-- Prints the time in milliseconds within which 95 of 100 answers came.
done = function(summary, latency, requests)
  io.write(string.format("P95: %.3f\n", latency:percentile(95.0) / 1000))
end
