internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Logbook
internal import Store
internal import Web

/// The jobs of all companies, and one job.
extension OperatorConsole {
  var jobRoutes: [Route] {
    [
      page(.get, "/jobs") { .page(try await jobs($0), for: $0.request) },
      page(.get, "/jobs/{company}/{job}") { .page(try await job($0), for: $0.request) },
      page(.post, "/jobs/{company}/{job}/{verb}", changeJob(_:)),
    ]
  }

  /// The actions on one job, and on many.
  static let actions: [JobAction] = [.retry, .runNow, .cancel, .discard]

  /// The most companies whose errors a list reads: a transaction each.
  private static let mostCompanies = 3

  private func jobs(_ visit: OperatorVisit) async throws -> HTML {
    let words = visit.words
    let choice = JobChoice { visit.asked($0) }
    let place = try visit.asked("after").map { try JobPlace(parsing: $0) } ?? JobPlace()
    let administration = JobAdministration(services)
    let acting: ActingContext? =
      if let company = choice.company { try await acting(company) } else { nil }
    let page =
      if let acting {
        try await administration.list(acting, choice.filter, after: place, limit: OperatorVisit.rows)
      } else {
        try await administration.all(choice.filter, after: place, limit: OperatorVisit.rows)
      }
    let counts = try await jobCounts(acting)
    let hasErrors = Set(page.jobs.map(\.companyID)).count <= Self.mostCompanies
    let errors = hasErrors ? try await administration.lastErrors(of: page.jobs) : [:]
    let showsError = !errors.isEmpty
    let heads: [CellTable.Head] =
      [
        .init(words("job.kind")), .init(words("operator.company")), .init(words("job.queue")),
        .init(words("people.state")), .init(words("job.attempt"), isNumber: true),
        .init(words("job.created")), .init(words("job.finished")),
      ] + (showsError ? [.init(words("job.error"))] : [])
    let table = CellTable(
      label: words("operator.jobs"),
      heads: heads,
      rows: page.jobs.map { job in
        let error = String((errors[job.id] ?? "").prefix(200))
        return [
          "<a href=\"\(link: Place(["jobs", job.company, job.id.text]))\">\(job.kind)<span class=\"unseen\"> \(job.id.text)</span></a>",
          OperatorVisit.link(company: job.company), "\(job.queue)", Self.pill(job.state, words),
          "\(job.attempt) / \(job.maxAttempts)", visit.moments.html(job.createdAt),
          visit.moments.html(job.finishedAt),
        ] + (showsError ? ["\(own: error)"] : [])
      },
      empty: "<p>\(words("job.none"))</p>"
    )
    let next = page.next.map { Place(["jobs"], query: choice.pairs + [("after", $0.text)]) }
    return visit.html(
      "jobs",
      """
      \(Self.stateTabs(choice, words))\(try await filterForm(choice, counts, visit))
      <p class="found">\(Self.found(choice, counts, visit))</p>
      \(bulkForm(choice, visit))\(table.html)
      \(visit.pager(first: choice.place, next: next, isFirst: visit.asked("after") == nil))
      """
    )
  }

  private static func stateTabs(_ choice: JobChoice, _ words: Words) -> HTML {
    let tabs = ([nil] + JobState.allCases.map(Optional.some)).map { state -> HTML in
      let label = words(state.map { "job.state.\($0.rawValue)" } ?? "list.all")
      var other = choice
      other.filter.state = state
      return state == choice.filter.state
        ? "<li><a href=\"\(link: other.place)\" aria-current=\"true\">\(label)</a></li>"
        : "<li><a href=\"\(link: other.place)\">\(label)</a></li>"
    }
    return "<nav class=\"tabs\" aria-label=\"\(words("list.states"))\"><ul>\(tabs)</ul></nav>"
  }

  private func filterForm(_ choice: JobChoice, _ counts: JobCounts, _ visit: OperatorVisit) async throws
    -> HTML
  {
    let words = visit.words
    let state: HTML = choice.filter.state.map { hidden("state", $0.rawValue) } ?? .none
    let clear: HTML =
      choice == JobChoice(JobFilter(state: choice.filter.state))
      ? .none
      : "<a class=\"button\" href=\"\(link: JobChoice(JobFilter(state: choice.filter.state)).place)\">\(words("list.clear"))</a>"
    return """
      <form class="filters wide" method="get" action="/jobs">\(state)
      \(visit.field("kind", words("job.kind"), choice.filter.kind, among: Set(counts.lines.map(\.kind)).sorted()))
      \(visit.field("queue", words("job.queue"), choice.filter.queue, among: Set(counts.lines.map(\.queue)).sorted()))
      \(visit.field("company", words("operator.company"), choice.company, among: try await companyNames()))
      <button class="button" type="submit">\(words("list.show"))</button>\(clear)</form>
      """
  }

  /// Returns how many jobs a choice has, of the counters; nothing for states that have none.
  private static func found(_ choice: JobChoice, _ counts: JobCounts, _ visit: OperatorVisit) -> HTML {
    let path: KeyPath<JobCounts.Line, JobCounts.Count>? =
      switch choice.filter.state {
      case .queued: nil
      case .retrying: \.retrying
      case .running: \.running
      case .dead: \.dead
      case .cancelled: \.cancelled
      case .succeeded, nil: nil
      }
    let lines = counts.lines.filter { line in
      (choice.filter.kind ?? line.kind) == line.kind && (choice.filter.queue ?? line.queue) == line.queue
    }
    let count: JobCounts.Count? =
      if let path {
        lines.map { $0[keyPath: path] }.reduce(JobCounts.Count(), +)
      } else if choice.filter.state == .queued {
        lines.map { $0.queued + $0.waiting }.reduce(JobCounts.Count(), +)
      } else { nil }
    guard let count else { return "\(visit.words("list.newest"))" }
    let text = visit.count(count, isAtMost: choice.filter.state == .running)
    return "\(visit.words("operator.found", text)) · \(visit.words("list.newest"))"
  }

  static func pill(_ state: JobState, _ words: Words) -> HTML {
    let category: StateCategory =
      switch state {
      case .succeeded: .done
      case .running, .retrying: .active
      case .dead: .failed
      default: .open
      }
    return Pill.html(words("job.state.\(state.rawValue)"), category)
  }

  private func job(_ visit: OperatorVisit, fault: DomainError? = nil) async throws -> HTML {
    let words = visit.words
    let company = try visit.request.parameter("company")
    let acting = try await acting(company)
    let detail = try await JobAdministration(services).show(acting, id: try visit.request.id("job"))
    let job = detail.job
    let actions = Self.actions.filter { $0.states.contains(job.state) }.map { action in
      ActionButton.html(
        Place(["jobs", company, job.id.text, action.name]),
        words("operator.act.\(action.name)"),
        isDanger: action == .cancel || action == .discard
      )
    }
    let choice = JobChoice(JobFilter(state: job.state, kind: job.kind))
    let worker: HTML = job.worker.map { fact(words("operator.worker"), "\($0.text)") } ?? .none
    let progress: HTML =
      detail.progress.map { fact(words("job.progress"), "\(Int(clamping: $0 * 100)) %") } ?? .none
    let notes = detail.notes.map { note -> HTML in
      "<li>\(visit.moments.html(note.at)) \(own: note.text ?? "")</li>"
    }
    return visit.html(
      "jobs",
      title: job.kind,
      crumb: "<p class=\"crumb\"><a href=\"\(link: choice.place)\">\(choice.text(words))</a></p>",
      actions: .joined(actions),
      fault: fault,
      """
      <section class="card"><dl>\(fact(words("people.state"), Self.pill(job.state, words)))\(fact(words("job.attempt"), "\(job.attempt) / \(job.maxAttempts)"))\(fact(words("operator.company"), OperatorVisit.link(company: company)))\(fact(words("job.queue"), "\(job.queue)"))\(fact(words("operator.priority"), "\(job.priority)"))\(fact(words("job.created"), visit.moments.html(job.createdAt)))\(fact(words("job.due"), visit.moments.html(job.runAt)))\(fact(words("job.finished"), visit.moments.html(job.finishedAt)))\(progress)\(fact(words("operator.id"), "\(job.id.text)"))\(worker)</dl></section>
      <h2>\(words("job.attempts"))</h2>\(Self.attempts(detail.attempts, visit))
      <h2>\(words("operator.payload"))</h2>\(try Self.payload(detail, words))
      \(notes.isEmpty ? .none : "<section class=\"card\"><h2>\(words("job.notes"))</h2><ul class=\"rows\">\(notes)</ul></section>")
      """
    )
  }

  private static func attempts(_ attempts: [JobAttemptRow], _ visit: OperatorVisit) -> HTML {
    let words = visit.words
    return CellTable(
      label: words("job.attempts"),
      heads: [
        .init(words("job.attempt"), isNumber: true), .init(words("bulk.result")), .init(words("job.started")),
        .init(words("job.finished")), .init(words("job.error")),
      ],
      rows: attempts.reversed().map { attempt in
        [
          "\(attempt.attempt)",
          attempt.outcome.map { "\(words.known("job.outcome.\($0.rawValue)") ?? $0.rawValue)" } ?? .none,
          visit.moments.html(attempt.startedAt), visit.moments.html(attempt.finishedAt),
          "\(own: Redaction.text(String((attempt.error ?? "").prefix(2_000))))",
        ]
      },
      empty: "<p>\(words("job.attempts.none"))</p>"
    ).html
  }

  /// Returns the members of a payload. Payloads name what they are about, and have no secrets of their own; a value whose
  /// name suggests one is left out all the same.
  private static func payload(_ detail: JobAdministration.Detail, _ words: Words) throws -> HTML {
    let members = try detail.payload?.value().object?.members ?? []
    return CellTable(
      label: words("operator.payload"),
      heads: [.init(words("people.name")), .init(words("operator.value"))],
      rows: members.map { name, value in
        let text = withoutSecrets(value, name).displayText
        return ["\(name)", "<code>\(String(text.prefix(2_000)))</code>"]
      },
      empty: "<p>\(words("operator.payload.none"))</p>"
    ).html
  }

  /// Returns a value without what names suggest to be secret, at any depth.
  static func withoutSecrets(_ value: JSONValue, _ name: String = "") -> JSONValue {
    guard !Redaction.isSecret(name) else { return .string(Redaction.mark) }
    return switch value {
    case .object(let object):
      .object(JSONObject(object.members.map { ($0.key, withoutSecrets($0.value, $0.key)) }))
    case .array(let values): .array(values.map { withoutSecrets($0) })
    case .string(let text): .string(Redaction.text(text))
    default: value
    }
  }

  private func changeJob(_ visit: OperatorVisit) async throws -> APIAnswer {
    let verb = try visit.request.parameter("verb")
    let company = try visit.request.parameter("company")
    let id = try visit.request.id("job")
    guard let action = Self.actions.first(where: { $0.name == verb }) else { throw DomainError(.notFound) }
    return try await change(
      to: Place(["jobs", company, id.text]),
      again: { try await job(visit, fault: $0) }
    ) { try await JobAdministration(services).perform(action, try await acting(company), id: id) }
  }
}
