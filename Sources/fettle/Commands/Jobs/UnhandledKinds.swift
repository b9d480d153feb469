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
  /// - Parameter kinds: the kinds in question, without those that every worker runs.
  private static func hints(_ counts: JobCounts, kinds: Set<String>) -> [String] {
    let waiting = counts.lines.filter { line in
      line.queued.jobs > 0 && !line.isPaused && line.running.jobs == 0 && line.started.hour == 0
        && kinds.contains(line.kind)
    }
    return Dictionary(grouping: waiting, by: \.kind).sorted { $0.key < $1.key }.map { kind, lines in
      let jobs = lines.reduce(0) { $0 + $1.queued.jobs }
      let run = WorkerRemedy.command(kind: kind, queues: Set(lines.map(\.queue)))
      return
        "no worker runs jobs of kind \(kind): \(jobs) \(jobs == 1 ? "waits" : "wait"); start one with `\(run)`"
    }
  }

  /// Prints these lines for people who have got a list with ready jobs.
  ///
  /// - Parameters:
  ///   - counts: the counts of the company, or of all; nil to read them.
  ///   - kinds: the kinds of the ready jobs in the list.
  static func tell(_ options: RecordOptions, counts: JobCounts? = nil, kinds: Set<String>) async throws {
    guard options.output.output == .table, !kinds.isEmpty else { return }
    let found = try await options.company.connection.withServices { services in
      let handled = try await AppCommand.handledJobs(services)
      guard !kinds.subtracting(handled).isEmpty else { return [String]() }
      let counts = if let counts { counts } else { try await Self.counts(options) }
      return hints(counts, kinds: kinds.subtracting(handled))
    }
    for hint in found { Message.tell(hint) }
  }

  /// Returns the counts of the named company, or of all companies.
  static func counts(_ options: RecordOptions) async throws -> JobCounts {
    guard options.company.isNamed else {
      return try await options.company.connection.withServices {
        try await QueueAdministration($0).counts(nil)
      }
    }
    return try await options.company.withActingContext { try await QueueAdministration($0).counts($1) }
  }
}
