/// The pauses between failed attempts: twice as long each time, up to five minutes, and each a random part of that.
struct Backoff: Sendable {
  private var failures = 0

  /// Begins again after a success.
  mutating func reset() { failures = 0 }

  /// Returns the next pause: between half of the full pause and all of it.
  ///
  /// Devices that lost the same server come back at different times.
  mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
    failures = min(failures + 1, 10)
    let full = min(300.0, Double(1 << failures))
    return .seconds(Double.random(in: full / 2...full, using: &generator))
  }

  /// Returns the next random pause.
  mutating func next() -> Duration {
    var generator = SystemRandomNumberGenerator()
    return next(using: &generator)
  }
}
