extension Duration {
  /// The duration in seconds, for PostgreSQL's `make_interval(secs => …)`.
  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
