extension Duration {
  /// The duration as seconds, as PostgreSQL's `make_interval(secs => …)` takes them.
  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
