/// One line of a table: Fettle beside one peer, or alone.
struct Line: Sendable {
  let name: String
  let unit: String
  let ours: [Reading]
  var peer = ""
  var theirs: [Reading] = []
  var aim: Aim?

  var ratios: [Double] { pairs.map { $0 / $1 } }

  /// True if the median keeps the aim; nil without an aim.
  var isMet: Bool? { aim?.isKept(ours.map(\.value).median, ratios.median, pairs.map { $0 - $1 }.median) }

  /// A peer that was measured once is beside every round.
  private var pairs: [(Double, Double)] {
    let others = theirs.count == 1 ? [Reading](repeating: theirs[0], count: ours.count) : theirs
    return zip(ours, others).map { ($0.value, $1.value) }
  }
}

/// A bound that a figure has to keep.
struct Aim: Sendable, CustomStringConvertible {
  enum Value: String { case ratio, ours, difference = "ours - its" }

  private let value: Value
  private let bound: Double
  private let isLeast: Bool

  static func ratioAtLeast(_ bound: Double) -> Aim { Aim(value: .ratio, bound: bound, isLeast: true) }
  static func ratioAtMost(_ bound: Double) -> Aim { Aim(value: .ratio, bound: bound, isLeast: false) }
  static func atLeast(_ bound: Double) -> Aim { Aim(value: .ours, bound: bound, isLeast: true) }
  static func atMost(_ bound: Double) -> Aim { Aim(value: .ours, bound: bound, isLeast: false) }
  /// Returns the greatest difference from the peer.
  static func above(_ bound: Double) -> Aim { Aim(value: .difference, bound: bound, isLeast: false) }

  var isRelative: Bool { value != .ours }

  var description: String { "\(value.rawValue) \(isLeast ? ">=" : "<=") \(Report.text(bound))" }

  func isKept(_ ours: Double, _ ratio: Double, _ difference: Double) -> Bool {
    let actual = value == .ours ? ours : value == .ratio ? ratio : difference
    return isLeast ? actual >= bound : actual <= bound
  }
}

/// The result of one measurement of one side.
struct Reading: Sendable {
  let value: Double
  /// The CPU time of each meter per unit of work, in microseconds; NaN if unknown.
  let cpu: [Double]

  init(_ value: Double, cpu: [Double] = []) {
    self.value = value
    self.cpu = cpu
  }
}

/// Finished units of work.
struct Sample: Sendable {
  let units: Double
  let seconds: Double

  var perSecond: Double { units / seconds }

  /// Measures the time of a body that returns the number of its units.
  static func timed(_ body: () async throws -> Int) async rethrows -> Sample {
    let start = ContinuousClock.now
    let units = try await body()
    return Sample(units: Double(units), seconds: (ContinuousClock.now - start) / .seconds(1))
  }
}

extension [Double] {
  /// The middle value, or the mean of the two middle values.
  var median: Double {
    guard !isEmpty else { return .nan }
    let sorted = self.sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }

  /// Returns the value that a share of the values does not exceed.
  func percentile(_ share: Double) -> Double {
    isEmpty ? .nan : sorted()[Swift.max(0, Int((Double(count) * share).rounded(.up)) - 1)]
  }

  /// Runs a body and appends its time in milliseconds.
  mutating func time<Value>(_ body: () throws -> Value) rethrows -> Value {
    let start = ContinuousClock.now
    defer { append((ContinuousClock.now - start) / .milliseconds(1)) }
    return try body()
  }
}
