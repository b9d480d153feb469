/// Times of single requests.
struct Latencies: Sendable {
  /// The times in milliseconds.
  private(set) var times: [Double] = []

  /// Measures a body once.
  mutating func measure<Value>(_ body: () throws -> Value) rethrows -> Value {
    let start = ContinuousClock.now
    let value = try body()
    times.append((ContinuousClock.now - start) / .milliseconds(1))
    return value
  }

  /// Measures a body once.
  mutating func measure<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    let start = ContinuousClock.now
    let value = try await body()
    times.append((ContinuousClock.now - start) / .milliseconds(1))
    return value
  }

  mutating func append(_ others: Latencies) { times += others.times }

  /// The time that half of the requests did not exceed, in milliseconds.
  var p50: Double { percentile(0.5) }

  /// The time that 99 % of the requests did not exceed, in milliseconds.
  var p99: Double { percentile(0.99) }

  private func percentile(_ part: Double) -> Double {
    guard !times.isEmpty else { return .nan }
    let sorted = times.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }
}
