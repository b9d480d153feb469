internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// A run: its progress while it goes on, then its result.
extension OperatorConsole {
  var runRoutes: [Route] {
    [
      page(.get, "/runs/{run}") { .page(try await run($0), for: $0.request) },
      page(.post, "/runs/{run}/stop") { visit in
        let id = try visit.request.id("run")
        runs.stop(id)
        return .see(Place(["runs", id.text]))
      },
    ]
  }

  /// The time for which the page waits for the end of a run: most have ended by then, and need no second look.
  private static let patience = Duration.milliseconds(800)

  private func run(_ visit: OperatorVisit) async throws -> HTML {
    let id = try visit.request.id("run")
    await runs.settle(id, within: Self.patience)
    guard let run = runs.run(id) else { throw DomainError(.notFound, "there is no such run") }
    let words = visit.words
    let (section, title, about) = Self.names(run.work, visit)
    let content: HTML =
      switch (run.outcome, run.work) {
      case (nil, _): Self.progress(run, visit)
      case (.failed(let error)?, _): Notice.bar(OperatorVisit.text(error, words), "bad")
      case (.stopped?, _): Notice.bar(words("operator.stopped", visit.number(run.progress)), "warning")
      case (.verified(let report)?, _): Self.report(report, visit)
      case (.jobs(let bulk)?, .jobs(let action, let choice, let isDryRun)):
        outcome(bulk, action, choice, isDryRun: isDryRun, visit)
      case (.jobs?, .verify): .none
      }
    return visit.html(
      section,
      title: title,
      crumb:
        "<p class=\"crumb\"><a href=\"\(link: OperatorVisit.place(section))\">\(words("operator.\(section)"))</a></p>",
      every: run.outcome == nil ? 1 : nil,
      "<p class=\"quiet\">\(about)</p>\(content)"
    )
  }

  /// Returns the section, the heading and the subject of a run.
  static func names(_ work: OperatorRuns.Work, _ visit: OperatorVisit) -> (String, String, String) {
    let words = visit.words
    switch work {
    case .verify(let company, let isQuick):
      let extent = words(isQuick ? "operator.verify.quick" : "operator.verify.full")
      return (
        "verify", words("operator.verify.run"),
        "\(words("operator.of.company", company ?? words("operator.all"))) · \(extent)"
      )
    case .jobs(let action, let choice, let isDryRun):
      let label = words("operator.act.\(action.name)")
      return ("jobs", isDryRun ? words("operator.preview", label) : label, choice.text(words))
    }
  }

  private static func progress(_ run: OperatorRuns.Run, _ visit: OperatorVisit) -> HTML {
    let words = visit.words
    let total = max(1, run.total ?? 0)
    let bar: HTML =
      run.total == nil
      ? "<progress aria-label=\"\(words("job.progress"))\"></progress>"
      : "<progress aria-label=\"\(words("job.progress"))\" max=\"\(total)\" value=\"\(min(run.progress, total))\"></progress>"
    let text =
      run.total.map { words("operator.progress.of", visit.number(run.progress), visit.number($0)) }
      ?? words("operator.progress", visit.number(run.progress))
    return """
      <p>\(bar)</p><p>\(text)</p>
      <div class="buttons"><a class="button" href="\(link: Place(["runs", run.id.text]))">\(words("operator.look-again"))</a>
      <form class="inline" method="post" action="\(link: Place(["runs", run.id.text, "stop"]))"><button class="button danger" type="submit">\(words("operator.stop"))</button></form></div>
      """
  }

  /// The most findings on the page.
  private static let mostFindings = 200

  private static func report(_ report: VerifyReport, _ visit: OperatorVisit) -> HTML {
    let words = visit.words
    let faults = report.findings.count + report.omitted
    let verdict = faults == 0 ? words("operator.verified") : words.count("operator.faults", faults)
    let extent = words(
      "operator.verify.extent",
      visit.number(report.companies),
      visit.number(report.records),
      visit.number(report.entries)
    )
    let table = CellTable(
      label: words("operator.findings"),
      heads: [
        .init(words("operator.check")), .init(words("operator.company")), .init(words("operator.type")),
        .init(words("operator.id")), .init(words("operator.finding")),
      ],
      rows: report.findings.prefix(mostFindings).map { finding in
        [
          "<code>\(finding.code.rawValue)</code>", "\(own: finding.company ?? "")", "\(finding.type ?? "")",
          "\(finding.record?.text ?? "")", "\(own: finding.what)",
        ]
      },
      empty: .none
    )
    return """
      \(Notice.bar(verdict, faults == 0 ? "good" : "bad"))<p>\(extent)</p>\(faults == 0 ? .none : table.html)
      """
  }
}
