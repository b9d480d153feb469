internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Secrets
internal import Store
internal import Web

/// The verification of history and records, and the runs so far.
extension OperatorConsole {
  var verifyRoutes: [Route] {
    [
      page(.get, "/verify") { .page(try await verification($0), for: $0.request) },
      page(.post, "/runs/verify", verify(_:)),
    ]
  }

  private func verification(_ visit: OperatorVisit, fault: DomainError? = nil) async throws -> HTML {
    let words = visit.words
    let table = CellTable(
      label: words("operator.runs"),
      heads: [.init(words("operator.run")), .init(words("people.state")), .init(words("job.started"))],
      rows: runs.all.map { run in
        let (_, title, about) = Self.names(run.work, visit)
        return [
          "<a href=\"\(link: Place(["runs", run.id.text]))\">\(title)</a> <span class=\"quiet\">\(about)</span>",
          Self.state(run, words), visit.moments.html(run.startedAt),
        ]
      },
      empty: "<p>\(words("operator.runs.none"))</p>"
    )
    return visit.html(
      "verify",
      fault: fault,
      """
      <p class="quiet">\(words("operator.verify.text"))</p>
      <form class="form card" method="post" action="/runs/verify">
      \(visit.field("company", words("operator.company.one"), visit.asked("company"), among: try await companyNames()))
      <label class="radio"><input type="checkbox" name="quick" value="true">\(words("operator.verify.quick"))</label>
      <div class="buttons"><button class="button primary" type="submit">\(words("operator.verify"))</button></div></form>
      <h2>\(words("operator.runs"))</h2>\(table.html)
      """
    )
  }

  private static func state(_ run: OperatorRuns.Run, _ words: Words) -> HTML {
    switch run.outcome {
    case nil: Pill.html(words("job.state.running"), .active)
    case .failed: Pill.html(words("job.state.dead"), .failed)
    case .stopped: Pill.html(words("operator.state.stopped"), .open)
    case .verified(let report) where !report.findings.isEmpty:
      Pill.html(words.count("operator.faults", report.findings.count + report.omitted), .failed)
    case .verified, .jobs: Pill.html(words("job.state.succeeded"), .done)
    }
  }

  private func verify(_ visit: OperatorVisit) async throws -> APIAnswer {
    let form = try visit.request.form()
    var scope = Verification.Scope()
    scope.isQuick = form["quick"] != nil
    let slug = form.text("company")
    do {
      let rows =
        if let slug { [try await contexts.company(slug)] } else { try await Companies(services).list() }
      let catalogue = try await Records.open(services).catalogue
      let check = Verification(services, catalogue: catalogue)
      let total = scope.isQuick ? nil : try await check.entries(of: rows, scope: scope)
      let id = services.ids.next()
      try runs.start(
        .verify(company: slug, isQuick: scope.isQuick),
        id: id,
        at: SessionGate.clock,
        total: total
      ) { [scope] progress in .verified(try await check.run(rows, scope: scope, progress: progress)) }
      return .see(Place(["runs", id.text]))
    } catch let error as DomainError where error.isAboutInput {
      return .page(try await verification(visit, fault: error), status: 422)
    }
  }
}
