internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Logbook
internal import Store
internal import Web

/// The jobs of all companies, or of one.
extension OperatorConsole {
  var listRoutes: [Route] { [page(.get, "/jobs") { .page(try await jobs($0), for: $0.request) }] }

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
    let counts = try await jobCounts(acting)
    let (rows, filter) = (OperatorVisit.rows, choice.filter)
    let page =
      if let acting {
        try await administration.list(acting, filter, after: place, limit: rows, isCounted: true)
      } else { try await administration.all(filter, after: place, limit: rows, isCounted: true) }
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
        let error = Redaction.text(String((errors[job.id] ?? "").prefix(200)))
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
}
