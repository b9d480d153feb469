internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct EntrySplitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split",
    abstract: "Complete part of an entry and create one for the rest",
    scope: .company,
    discussion: """
      Example:
        fettle entry split WO-1003 --rest "Second hose" --estimate 1 \\
          --company acme --as ana
      """
  )

  @OptionGroup var options: RecordOptions
  @OptionGroup var change: TransitionComment
  @Argument(
    help: "Entry in progress",
    completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.entry", words) }
  ) var entry: String
  @Option(help: "Description of the new entry (default: unchanged)") var rest: String?
  @Option(help: "Estimated hours of the new entry (default: unchanged)") var estimate: String?
  @Flag(help: "Report what would happen, then roll back") var dryRun = false
  @OptionGroup var key: KeyOption

  func run() async throws {
    var fields: JSONObject = [:]
    if let rest { fields["description"] = .string(rest) }
    if let estimate { fields["estimated_hours"] = .string(estimate) }
    try await key.change(options.company, options.output, isTrial: dryRun) { [fields] services, acting in
      let records = try await Records.open(services)
      let id = try await records.resolve(acting, type: "maintenance.entry", entry)
      let answer = try await records.split(
        acting,
        entry: id,
        rest: fields,
        comment: change.comment,
        dryRun: dryRun
      )
      return ChangeReport(
        "\(dryRun ? "would be: " : "")completed \(entry); the rest is \(answer.rest.id.text)",
        [
          (Column("id"), Cell(answer.done.id)), (Column("status"), .optional(answer.done.status)),
          (Column("rest_id"), Cell(answer.rest.id)), (Column("rest_status"), .optional(answer.rest.status)),
          (Column("dry_run"), .bool(dryRun)),
        ]
      )
    }
  }
}

/// The comment of a transition.
struct TransitionComment: ParsableArguments {
  @Option(help: "Comment for the history") var comment: String?
}
