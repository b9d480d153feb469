internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Secrets
internal import Store
internal import Web

/// An action on all jobs of a choice: first what it would do, then, confirmed, the act.
extension OperatorConsole {
  var bulkRoutes: [Route] {
    [
      page(.post, "/runs/preview") { try await start($0, isDryRun: true) },
      page(.post, "/runs/jobs") { try await start($0, isDryRun: false) },
    ]
  }

  /// Returns the form that previews an action on all jobs of a choice. An act on many names the state of the jobs.
  func bulkForm(_ choice: JobChoice, _ visit: OperatorVisit) -> HTML {
    let words = visit.words
    guard let state = choice.filter.state else {
      return "<p class=\"quiet\">\(words("operator.bulk.choose"))</p>"
    }
    let actions = Self.actions.filter { $0.states.contains(state) }
    guard !actions.isEmpty else { return .none }
    let options = actions.map { action -> HTML in
      "<option value=\"\(action.name)\">\(words("operator.act.\(action.name)"))</option>"
    }
    return """
      <form method="post" action="/runs/preview"><fieldset class="bulk"><legend>\(words("operator.bulk"))</legend>
      \(choice.pairs.map { hidden($0.name, $0.value) })
      <div class="field"><label for="action">\(words("bulk.action"))</label><select id="action" name="action">\(options)</select></div>
      <button class="button" type="submit">\(words("bulk.preview"))</button></fieldset></form>
      """
  }

  private func start(_ visit: OperatorVisit, isDryRun: Bool) async throws -> APIAnswer {
    let form = try visit.request.form()
    let choice = JobChoice { form.text($0) }
    guard let action = Self.actions.first(where: { $0.name == form["action"] }) else {
      throw DomainError(.invalidInput, "there is no such action")
    }
    _ = try action.narrowed(choice.filter)
    let company: ActingContext? = if let slug = choice.company { try await acting(slug) } else { nil }
    let id = services.ids.next()
    try runs.start(.jobs(action, choice, isDryRun: isDryRun), id: id, at: SessionGate.clock) { progress in
      let bulk = try await JobAdministration(services).performAll(
        action,
        where: choice.filter,
        company: company,
        contexts: { try await acting($0.company) },
        dryRun: isDryRun,
        progress: progress
      )
      await counts.forget()
      return .jobs(bulk)
    }
    return .see(Place(["runs", id.text]))
  }

  /// Returns what an action did, or would do, with the form that confirms.
  func outcome(
    _ bulk: JobBulk,
    _ action: JobAction,
    _ choice: JobChoice,
    isDryRun: Bool,
    _ visit: OperatorVisit
  )
    -> HTML
  {
    let words = visit.words
    let label = words("operator.act.\(action.name)")
    let done = words.count(isDryRun ? "operator.would" : "operator.did", bulk.done, label)
    let confirm: HTML =
      isDryRun && bulk.done > 0
      ? """
      <form method="post" action="/runs/jobs">\(choice.pairs.map { hidden($0.name, $0.value) })\(hidden("action", action.name))
      <div class="buttons"><button class="button primary" type="submit">\(words("operator.confirm", label, visit.number(bulk.done)))</button></div></form>
      """ : .none
    let refused: HTML =
      bulk.refusals.isEmpty
      ? .none
      : Notice.bar(
        "\(words.count("operator.refused", bulk.refusals.count)) \(bulk.refusals[0].reason)",
        "warning"
      )
    let table = CellTable(
      label: words("operator.first"),
      heads: [
        .init(words("job.kind")), .init(words("operator.company")), .init(words("job.queue")),
        .init(words("job.created")),
      ],
      rows: bulk.first.map { job in
        [
          "<a href=\"\(link: Place(["jobs", job.company, job.id.text]))\">\(job.kind)<span class=\"unseen\"> \(job.id.text)</span></a>",
          OperatorVisit.link(company: job.company), "\(job.queue)", visit.moments.html(job.createdAt),
        ]
      },
      empty: "<p>\(words("job.none"))</p>"
    )
    return """
      <p class="lead">\(done)</p>\(refused)\(confirm)
      <h2>\(words("operator.first"))</h2>\(table.html)
      <div class="buttons"><a class="button" href="\(link: choice.place)">\(words("bulk.back"))</a></div>
      """
  }
}
