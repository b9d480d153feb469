internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

/// Ready jobs of kinds that no worker seems to run: nothing started one in the last hour, and workers run the kind
/// only if they are given a program or a mail server.
enum UnhandledKinds {
  /// Returns a line for each such kind among the counted jobs, with the command that helps.
  ///
  /// - Parameter handled: the kinds that every worker runs.
  static func hints(_ counts: JobCounts, handled: Set<String>) -> [String] {
    let waiting = counts.lines.filter { line in
      line.queued.jobs > 0 && !line.isPaused && line.running.jobs == 0 && line.started.hour == 0
        && !handled.contains(line.kind)
    }
    return Dictionary(grouping: waiting, by: \.kind).sorted { $0.key < $1.key }.map { kind, lines in
      let jobs = lines.reduce(0) { $0 + $1.queued.jobs }
      let queues = Set(lines.map(\.queue)).sorted()
      let option = queues == ["default"] ? "" : " --queues \(queues.joined(separator: ","))"
      let run =
        kind == "mail.send"
        ? "`fettle work\(option) --mail smtps://… --mail-from …`"
        : "`fettle work\(option) --handler \(kind)=PROGRAM`"
      return
        "no worker runs jobs of kind \(kind): \(jobs) \(jobs == 1 ? "waits" : "wait"); start one with \(run)"
    }
  }

  /// Prints these lines for people who have got a list with ready jobs.
  ///
  /// - Parameter kinds: the kinds in the list; nil for all.
  static func tell(_ options: RecordOptions, kinds: Set<String>? = nil) async throws {
    guard options.output.output == .table, kinds?.isEmpty != true else { return }
    let found = try await options.company.connection.withServices { services in
      hints(
        try await QueueAdministration(services).counts(nil),
        handled: try await AppCommand.handledJobs(services)
      )
    }
    for hint in found where kinds?.contains(where: { hint.contains(" kind \($0):") }) != false {
      Message.tell(hint)
    }
  }
}
