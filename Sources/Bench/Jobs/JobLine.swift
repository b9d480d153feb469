/// One line of the table of the queue: ours beside one other.
struct JobLine: Sendable {
  let name: String
  let unit: String
  let ours: [Double]
  let peer: String
  let theirs: [Double]
  /// What the ratio is to be at least, if there is such an aim.
  var atLeast: Double?
  /// What our median itself is to be at most, where the aim is not a ratio.
  var atMost: Double?
  /// Microseconds of the server's processor time a job, ours and theirs.
  var serverCPU: (ours: Double, theirs: Double)?
  /// Of the processes that do the jobs.
  var workerCPU: (ours: Double, theirs: Double)?

  /// Ours by theirs, of measurements made one after the other.
  var ratios: [Double] { zip(ours, theirs).map { $0 / $1 } }
}
