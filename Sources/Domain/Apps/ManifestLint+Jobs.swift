extension ManifestLint {
  /// Checks the hooks of a type: their jobs, columns and conditions, and that the system may fire their
  /// transitions.
  mutating func checkHooks(
    of type: RecordTypeDefinition,
    workflow: WorkflowDefinition?,
    at path: String
  ) {
    for (index, hook) in type.hooks.enumerated() {
      let place = "\(path).hooks[\(index)]"
      switch hook.action {
      case .job(let kind): look(upJob: kind, at: "\(place).job")
      case .fire(let name): check(transition: name, of: workflow, at: "\(place).fire")
      }
      for column in hook.columns { look(up: column, in: type.table, at: "\(place).of") }
      // A hook's condition reads the given fields, so it may name only columns of the table.
      if let when = hook.when { check(GuardPath(when), in: type.table, at: "\(place).when") }
    }
  }

  private mutating func check(transition name: String, of workflow: WorkflowDefinition?, at path: String) {
    let transitions = workflow?.transitions ?? []
    guard let transition = transitions.first(where: { $0.name == name }) else {
      let meant = Suggestion.closest(to: name, among: transitions.map(\.name))
      report(
        .unknownTransition,
        path,
        "there is no transition \(Quoted(name))",
        meant.map { "did you mean \($0)?" } ?? "name a transition of the type's workflow"
      )
      return
    }
    if transition.by != .system {
      report(
        .transitionOfPeople,
        path,
        "\(name) is not a system transition",
        "name a transition with by: system"
      )
    }
  }

  /// Checks the kinds of job that the app declares, and the cron expressions and zones of its schedules.
  mutating func checkJobs() {
    for (index, kind) in manifest.jobs.enumerated() {
      guard let handled = context.jobs, !handled.contains(kind) else { continue }
      let meant = Suggestion.closest(to: kind, among: handled.sorted())
      report(
        .unknownJob,
        "jobs[\(index)]",
        "no handler runs jobs of kind \(Quoted(kind))",
        meant.map { "did you mean \($0)?" } ?? "name a kind that `fettle work` handles"
      )
    }
    for (index, schedule) in manifest.schedules.enumerated() {
      let path = "schedules[\(index)]"
      look(upJob: schedule.job, at: "\(path).job")
      do throws(DomainError) {
        _ = try CronExpression(parsing: schedule.cron)
      } catch {
        report(
          .invalidCron,
          "\(path).cron",
          error.message,
          "write minute, hour, day of the month, month and day of the week: '0 5 * * *'"
        )
      }
      if case .named(let zone) = schedule.zone, (try? TimeZoneName(parsing: zone)) == nil {
        report(.invalidZone, "\(path).zone", "\(Quoted(zone)) is not a time zone", "write company or UTC")
      }
    }
  }

  private mutating func look(upJob kind: String, at path: String) {
    guard !manifest.jobs.contains(kind) else { return }
    let meant = Suggestion.closest(to: kind, among: manifest.jobs)
    report(
      .unknownJob,
      path,
      "the app declares no job kind \(Quoted(kind))",
      meant.map { "did you mean \($0)?" } ?? "list it under jobs"
    )
  }

  /// Checks that every guard of a workflow reads a column of the record.
  mutating func checkGuards(of definition: WorkflowDefinition, at path: String) {
    for transition in definition.transitions {
      for (index, condition) in transition.guards.enumerated()
      where GuardPath(condition.path).columns.isEmpty {
        let place = "\(path).transitions.\(transition.name).guards[\(index)]"
        report(.guardWithoutField, place, "the guard names no column", "write $.column")
      }
    }
  }
}
