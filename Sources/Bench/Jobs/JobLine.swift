/// One line of the queue's table: Fettle beside one peer.
struct JobLine: Sendable {
  let name: String
  let unit: String
  let ours: [Double]
  let peer: String
  let theirs: [Double]
  /// The minimum ratio, if there is one.
  var atLeast: Double?
  /// The maximum of our own median, for aims that are not ratios.
  var atMost: Double?
  /// Microseconds of the server's CPU time per job, ours and theirs.
  var serverCPU: (ours: Double, theirs: Double)?
  /// Microseconds of the worker processes' CPU time per job, ours and theirs.
  var workerCPU: (ours: Double, theirs: Double)?

  /// Ours divided by theirs for consecutive measurements.
  var ratios: [Double] { zip(ours, theirs).map { $0 / $1 } }
}
