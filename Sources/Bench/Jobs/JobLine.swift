/// One line of the table of the queue: Fettle beside one peer.
struct JobLine: Sendable {
  let name: String
  let unit: String
  let ours: [Double]
  let peer: String
  let theirs: [Double]
  /// The minimum ratio; nil for none.
  var atLeast: Double?
  /// The maximum of our median, for aims that are not ratios; nil for none.
  var atMost: Double?
  /// The CPU time of the server per job in microseconds, ours and theirs.
  var serverCPU: (ours: Double, theirs: Double)?
  /// The CPU time of the worker processes per job in microseconds, ours and theirs.
  var workerCPU: (ours: Double, theirs: Double)?

  /// Ours divided by theirs, per round.
  var ratios: [Double] { zip(ours, theirs).map { $0 / $1 } }
}
