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
    scope: .companiesOfFile,
    discussion: """
      The file contains companies with their roles, members, invites, webhooks,
      quotas, limits, workflow versions, schedules, overlays and records, as export
      writes them. Sections missing in the file stay unchanged. A second run changes
      nothing. After an error, apply the file again to continue.

      --prune asks for confirmation and removes subjects missing in a section of the
      file: it revokes invites, removes members, retires machines, and deletes
      records but keeps their history. Companies missing in the file stay unchanged.

      Generated codes and secrets are shown only once.

      Examples:
        fettle apply -f company.yaml
        fettle apply -f company.yaml --dry-run
        fettle apply -f company.yaml --prune --yes --output json
      """
  )

  @OptionGroup var provisioning: ProvisioningFile
  @OptionGroup var output: OutputOptions
  @Flag(help: "Print the changes without making them") var dryRun = false
  @Flag(help: "Remove without confirmation") var yes = false

  func run() async throws {
    try await provisioning.withPlans { provisioning, plans, _ in
      for plan in plans { try plan.requirePossible() }
      var report = ApplyReport(output: output)
      if dryRun {
        for plan in plans {
          for step in plan.steps { try report.add(.init(company: plan.company, step: step, secret: nil)) }
        }
        return try report.finish(plans, verb: "would be ")
      }
      let removed = plans.flatMap(\.steps).filter { $0.change == .removed }
      if !removed.isEmpty, !yes {
        for step in removed { Message.tell("will be removed: \(step.subject) \(step.name)") }
        let question = removed.count == 1 ? "Remove it?" : "Remove these \(removed.count)?"
        guard try Prompt().confirm(question) else { return Message.tell("nothing was changed") }
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

/// Prints the changes: for people each as it is made, for programs all at the end.
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

  /// Prints the changes made before an error.
  func stop() throws {
    if isForPeople {
      Message.tell("stopped after \(rows.count) changes, which stay; apply the file again to continue")
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
      let rest = "\(unchanged.count) already as in the file"
      Message.tell(changes.isEmpty ? "nothing changed, \(rest)" : (changes + [rest]).joined(separator: ", "))
      ExtraText.tell(plans)
    } else {
      let rows = rows + unchanged.map { ChangeText.unchanged($0, $1, $2) }
      try output.print(Table(columns: ChangeText.columns, rows: rows))
    }
  }
}

/// Reports subjects that the database has and the file lacks.
enum ExtraText {
  static func tell(_ plans: [CompanyPlan]) {
    let extra = plans.flatMap(\.extra)
    guard let first = extra.first else { return }
    let more = extra.count == 1 ? "" : " and \(extra.count - 1) more"
    Message.tell("not in the file: \(first.subject) \(first.name)\(more); --prune removes them")
  }
}
