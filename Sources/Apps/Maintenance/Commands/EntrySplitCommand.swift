internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct EntrySplitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split",
    abstract: "Complete an entry that was done in part, and make another of the rest.",
    discussion: """
      Example:
        fettle entry split WO-1003 --rest "Second hose" --estimate 1 \\
          --company acme --as ana
      """
  )

  @OptionGroup var options: RecordOptions
  @OptionGroup var change: TransitionComment
  @Argument(help: "The entry, which is in progress.") var entry: String
  @Option(help: "What is left to do; default: as the entry says.") var rest: String?
  @Option(help: "Hours that the rest is expected to take; default: as for the entry.") var estimate: String?
  @Flag(help: "Decide and write, then roll back: tell what would happen.") var dryRun = false

  func run() async throws {
    var fields: JSONObject = [:]
    if let rest { fields["description"] = .string(rest) }
    if let estimate { fields["estimated_hours"] = .string(estimate) }
    let answer = try await options.company.withActingContext { services, acting in
      let records = try await Records.open(services)
      let id = try await records.resolve(acting, type: "maintenance.entry", entry)
      return try await records.split(acting, entry: id, rest: fields, comment: change.comment, dryRun: dryRun)
    }
    try options.output.report(
      "\(dryRun ? "would be: " : "")completed \(entry); what is left is \(answer.rest.id.text)",
      [
        (Column("id"), Cell(answer.done.id)), (Column("status"), .optional(answer.done.status)),
        (Column("rest_id"), Cell(answer.rest.id)), (Column("rest_status"), .optional(answer.rest.status)),
        (Column("dry_run"), .bool(dryRun)),
      ]
    )
  }
}

/// Why, for the history.
struct TransitionComment: ParsableArguments {
  @Option(help: "Why, for the history.") var comment: String?
}
