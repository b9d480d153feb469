/// One line of the table of synchronisation: Fettle beside one peer, or alone.
struct SyncLine: Sendable {
  /// A bound that a figure has to keep.
  enum Target: Sendable {
    /// The smallest ratio to the peer.
    case ratioAtLeast(Double)
    /// The greatest ratio to the peer.
    case ratioAtMost(Double)
    /// The smallest value.
    case atLeast(Double)
    /// The greatest value.
    case atMost(Double)
    /// The greatest difference from the peer.
    case above(Double)
  }

  let name: String
  let unit: String
  /// Fettle's value per round; empty if it could not be measured.
  let ours: [Double]
  /// The peer; empty for none.
  var peer = ""
  var theirs: [Double] = []
  var target: Target?
  /// The CPU time of PostgreSQL per unit in microseconds, ours and theirs; NaN if unknown.
  var database = (ours: Double.nan, theirs: Double.nan)
  /// The CPU time of the server in front of it per unit in microseconds, ours and theirs; NaN if unknown.
  var program = (ours: Double.nan, theirs: Double.nan)
  /// The remark of a figure that could not be measured because of an error.
  static let failed = "failed"

  /// The reason why there is no value, such as `not served`.
  var remark: String?

  /// Ours divided by theirs, per round.
  var ratios: [Double] {
    theirs.count == 1 ? ours.map { $0 / theirs[0] } : zip(ours, theirs).map { $0 / $1 }
  }

  /// Ours less theirs, per round.
  var differences: [Double] {
    theirs.count == 1 ? ours.map { $0 - theirs[0] } : zip(ours, theirs).map { $0 - $1 }
  }

  /// True if the median keeps the target; nil without a target or a value.
  var isMet: Bool? {
    guard let target, !ours.isEmpty else { return nil }
    return switch target {
    case .ratioAtLeast(let bound): ratios.median >= bound
    case .ratioAtMost(let bound): ratios.median <= bound
    case .atLeast(let bound): ours.median >= bound
    case .atMost(let bound): ours.median <= bound
    case .above(let bound): differences.median <= bound
    }
  }
}
