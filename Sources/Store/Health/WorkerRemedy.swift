/// The commands that start workers for jobs that wait.
package enum WorkerRemedy {
  /// Returns the command that starts a worker with what a kind of job needs: a mail server, or a program.
  ///
  /// - Parameter queues: the queues of the jobs.
  package static func command(kind: String, queues: Set<String>) -> String {
    let option = queues == ["default"] ? "" : " --queues \(queues.sorted().joined(separator: ","))"
    let means = kind == "mail.send" ? "--mail smtps://… --mail-from …" : "--handler \(kind)=PROGRAM"
    return "fettle work\(option) \(means)"
  }
}
