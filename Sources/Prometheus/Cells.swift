internal import CoreMetrics
internal import Synchronization

/// The value of a counter.
final class CounterCell: CounterHandler, FloatingPointCounterHandler {
  private let sum = Mutex(0.0)

  var value: Double { sum.withLock { $0 } }

  func increment(by amount: Int64) { increment(by: Double(amount)) }

  func increment(by amount: Double) {
    // A counter never decreases, so other amounts are ignored.
    guard amount > 0, amount.isFinite else { return }
    sum.withLock { $0 += amount }
  }

  func reset() { sum.withLock { $0 = 0 } }
}

/// The value of a gauge.
final class GaugeCell: MeterHandler, RecorderHandler {
  private let current = Mutex(0.0)

  var value: Double { current.withLock { $0 } }

  func set(_ value: Int64) { set(Double(value)) }

  func set(_ value: Double) { current.withLock { $0 = value } }

  func increment(by amount: Double) { current.withLock { $0 += amount } }

  func decrement(by amount: Double) { current.withLock { $0 -= amount } }

  func record(_ value: Int64) { set(Double(value)) }

  func record(_ value: Double) { set(value) }
}

/// The values of a histogram; timers record seconds.
final class HistogramCell: RecorderHandler, TimerHandler {
  /// The number of values per bucket, and their sum. The last bucket has no upper bound.
  struct Values: Sendable {
    var counts: [UInt64]
    var sum = 0.0
  }

  let bounds: [Double]
  private let state: Mutex<Values>

  init(bounds: [Double]) {
    self.bounds = bounds
    state = Mutex(Values(counts: Array(repeating: 0, count: bounds.count + 1)))
  }

  var values: Values { state.withLock { $0 } }

  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    guard !value.isNaN else { return }
    let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
    state.withLock {
      $0.counts[bucket] += 1
      $0.sum += value
    }
  }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
