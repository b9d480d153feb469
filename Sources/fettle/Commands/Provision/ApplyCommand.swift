internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct ApplyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Apply a provisioning file",
    discussion: """
      The file names companies with their roles, members, invites, webhooks, machines,
      categories and records. What it does not mention stays as it is. Applying it
      again changes nothing; after an error, applying it again goes on from there.

      With --prune, what a section of the file does not have goes, after a question:
      invites are revoked, members removed, machines retired, records deleted in a way
      that keeps their history. Companies that the file does not name are left alone.

      Codes and secrets that are made are shown once.

      Examples:
        fettle apply -f company.yaml
        fettle apply -f company.yaml --dry-run
        fettle apply -f company.yaml --prune --yes --output json
      """
  )

  @OptionGroup var provisioning: ProvisioningFile
  @OptionGroup var output: OutputOptions
  @Flag(help: "Report what would be done, and do nothing") var dryRun = false
  @Flag(help: "Do not ask before something is removed") var yes = false

  func run() async throws {
    try await provisioning.withPlans { provisioning, plans, _ in
      var report = ApplyReport(output: output)
      if dryRun {
        for plan in plans {
          for step in plan.steps { try report.add(.init(company: plan.company, step: step, secret: nil)) }
        }
        return try report.finish(plans, verb: "would be ")
      }
      let removed = plans.flatMap(\.steps).filter { $0.change == .removed }
      if !removed.isEmpty, !yes {
        for step in removed { Message.tell("would remove \(step.subject) \(step.name)") }
        let question = removed.count == 1 ? "Remove it?" : "Remove these \(removed.count)?"
        guard try Prompt().confirm(question) else { return Message.tell("nothing changed") }
      }
      do {
        for plan in plans {
          try await provisioning.apply(plan, secrets: ProvisioningFile.secret) { try report.add($0) }
        }
      } catch {
        try report.stop()
        throw error
      }
      try report.finish(plans, verb: "")
    }
  }
}

/// Tells what is done while it is done, or all of it at the end where a program reads.
private struct ApplyReport {
  let output: OutputOptions
  private var rows: [[Cell]] = []
  private var counts: [ProvisioningStep.Change: Int] = [:]

  init(output: OutputOptions) { self.output = output }

  private var isForPeople: Bool { output.output == .table && output.isPlain }

  mutating func add(_ done: Provisioning.Done) throws {
    counts[done.step.change, default: 0] += 1
    rows.append(ChangeText.row(done.company, done.step, secret: done.secret))
    guard isForPeople else { return }
    var text = ChangeText.line(done.company, done.step, on: .output) + "\n"
    if let secret = done.secret {
      text += "         shown only now: \(secret)\n"
    }
    var out = BufferedOutput()
    try out.write(text)
    try out.flush()
  }

  /// After an error: what was done until then is told all the same.
  func stop() throws {
    if isForPeople {
      Message.tell("stopped after \(rows.count) changes, which are kept; run apply again to continue")
    } else {
      try output.print(Table(columns: ChangeText.columns, rows: rows))
    }
  }

  func finish(_ plans: [CompanyPlan], verb: String) throws {
    let unchanged = plans.flatMap { plan in plan.unchanged.map { (plan.company, $0.subject, $0.name) } }
    if isForPeople {
      let changes = ProvisioningStep.Change.allCases.compactMap { change in
        counts[change].map { "\($0) \(verb)\(change.rawValue)" }
      }
      let rest = "\(unchanged.count) as the file says"
      Message.tell(changes.isEmpty ? "nothing changed, \(rest)" : (changes + [rest]).joined(separator: ", "))
      ExtraText.tell(plans)
    } else {
      let rows = rows + unchanged.map { ChangeText.unchanged($0, $1, $2) }
      try output.print(Table(columns: ChangeText.columns, rows: rows))
    }
  }
}

/// What a file does not have, for those who may have forgotten it.
enum ExtraText {
  static func tell(_ plans: [CompanyPlan]) {
    let extra = plans.flatMap(\.extra)
    guard let first = extra.first else { return }
    let more = extra.count == 1 ? "" : " and \(extra.count - 1) more"
    Message.tell("not in the file: \(first.subject) \(first.name)\(more); --prune removes them")
  }
}
