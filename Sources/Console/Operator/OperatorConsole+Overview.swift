internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Web

/// What an operator looks at first: is work done, is it saved, does something wait for a person.
extension OperatorConsole {
  var overviewRoutes: [Route] {
    [
      page(.get, "/") { .page(try await overview($0), for: $0.request) },
      page(.post, "/doctor") { _ in
        await health.forget()
        return .see(Place([]))
      }, page(.get, "/workers") { .page(try await workerPage($0), for: $0.request) },
    ]
  }

  private func overview(_ visit: OperatorVisit) async throws -> HTML {
    let words = visit.words
    let counts = try await jobCounts()
    let working = try await workerRows()
    let rows = try await companyRows()
    let waiting = try await undecided()
    let checkup = try await health.value {
      Checkup(findings: try await setting.doctor(), at: SessionGate.clock)
    }
    let oldest = counts.lines.filter { !$0.isPaused }.compactMap(\.oldest).min()
    let closed = rows.count { $0.status != .active }
    let alive = working.count(where: \.isAlive)
    func figure(_ name: String, _ value: String, _ place: Place, _ note: String) -> HTML {
      """
      <section class="card"><h2><a href="\(link: place)">\(words("operator.figure.\(name)"))</a></h2><p class="figure">\(value)</p><p class="quiet">\(note)</p></section>
      """
    }
    let dead = JobChoice(JobFilter(state: .dead))
    let figures: [HTML] = [
      figure(
        "ready",
        visit.count(counts.total(\.queued)),
        Place(["queues"]),
        oldest.map { words("operator.oldest", visit.age($0)) } ?? words("operator.none-waits")
      ),
      figure(
        "dead",
        visit.count(counts.total(\.dead)),
        dead.place,
        words("operator.later", visit.count(counts.total(\.retrying)), visit.count(counts.total(\.waiting)))
      ),
      figure(
        "workers",
        visit.number(alive),
        Place(["workers"]),
        words("operator.running", visit.count(counts.total(\.running), isAtMost: true))
      ),
      figure(
        "conflicts",
        visit.number(waiting.reduce(0) { $0 + $1.conflicts + $1.failed }),
        Place(["sync"]),
        waiting.first.map { words("operator.oldest", visit.age($0.since)) } ?? words("operator.none-waits")
      ),
      figure(
        "companies",
        visit.number(rows.count),
        Place(["companies"]),
        closed == 0 ? words("operator.all-open") : words("operator.closed-companies", visit.number(closed))
      ),
    ]
    return visit.html(
      "overview",
      every: 5,
      """
      <div class="figures-row">\(figures)</div>
      \(Self.diagnosis(checkup, visit))
      """
    )
  }

  /// Returns the findings of the doctor: failures, warnings, backups, and the others folded.
  private static func diagnosis(_ checkup: Checkup, _ visit: OperatorVisit) -> HTML {
    let words = visit.words
    let isShown = { (finding: HealthFinding) in
      finding.state != .ok || ["backup", "archive"].contains(finding.check)
    }
    func table(_ findings: [HealthFinding], _ label: String) -> HTML {
      CellTable(
        label: label,
        heads: [
          .init(words("operator.check")), .init(words("people.state")), .init(words("operator.finding")),
          .init(words("operator.remedy")),
        ],
        rows: findings.map { finding in
          [
            "\(finding.check)", pill(finding.state, words), "\(finding.finding)",
            finding.remedy.map { "<code>\($0)</code>" } ?? .none,
          ]
        },
        empty: "<p>\(words("operator.none-waits"))</p>"
      ).html
    }
    let order: [HealthFinding.State] = [.failed, .warning, .ok]
    let sorted = order.flatMap { state in checkup.findings.filter { $0.state == state } }
    let fine = sorted.filter { !isShown($0) }
    let isWell = !sorted.contains { $0.state != .ok }
    let rest: HTML =
      fine.isEmpty
      ? .none
      : "<details class=\"card\"><summary>\(words.count("operator.fine", fine.count))</summary>\(table(fine, words("operator.fine.title")))</details>"
    return """
      <div class="head"><h2>\(words("operator.doctor"))</h2><form method="post" action="/doctor"><button class="button small" type="submit">\(words("operator.doctor.again"))</button></form></div>
      <p class="quiet">\(words("operator.checked")) \(visit.moments.html(checkup.at))</p>
      \(isWell ? Notice.bar(words("operator.well"), "good") : .none)\(table(sorted.filter(isShown), words("operator.doctor")))
      \(rest)
      """
  }

  private static func pill(_ state: HealthFinding.State, _ words: Words) -> HTML {
    let category: StateCategory =
      switch state {
      case .ok: .done
      case .warning: .active
      case .failed: .failed
      }
    return Pill.html(words("operator.state.\(state.rawValue)"), category)
  }

  private func workerPage(_ visit: OperatorVisit) async throws -> HTML {
    let words = visit.words
    let table = CellTable(
      label: words("operator.workers"),
      heads: [
        .init(words("operator.host")), .init(words("people.state")),
        .init(words("operator.process"), isNumber: true),
        .init(words("operator.queues")), .init(words("job.started")), .init(words("operator.heartbeat")),
      ],
      rows: try await workerRows().map { worker in
        [
          "\(own: worker.host)",
          worker.isAlive
            ? Pill.html(words("operator.alive"), .done) : Pill.html(words("operator.lost"), .failed),
          "\(worker.process)", "\(worker.queues.joined(separator: ", "))",
          visit.moments.html(worker.startedAt),
          "\(visit.moments.html(worker.heartbeatAt)) <span class=\"quiet\">\(words("operator.ago", visit.age(worker.heartbeatAt)))</span>",
        ]
      },
      empty: "<p>\(words("operator.workers.none"))</p><p><code>fettle work</code></p>"
    )
    return visit.html(
      "workers",
      every: 5,
      "<p class=\"quiet\">\(words("operator.workers.text"))</p>\(table.html)"
    )
  }

  /// The counts of jobs of all companies, or of one.
  func jobCounts(_ acting: ActingContext? = nil) async throws -> JobCounts {
    try await counts.value(acting?.company.slug ?? "") {
      try await QueueAdministration(services).counts(acting)
    }
  }

  func workerRows() async throws -> [WorkerRow] {
    try await workers.value { try await WorkerRegister.all(services.database) }
  }

  func companyRows() async throws -> [CompanyRow] {
    try await companies.value { try await Companies(services).list() }
  }

  func undecided() async throws -> [UndecidedChanges] {
    try await waiting.value { try await UndecidedChanges.all(services.database) }
  }
}
