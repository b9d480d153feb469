internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The queues with their counts, and the pauses and limits of jobs.
extension OperatorConsole {
  var queueRoutes: [Route] {
    [
      page(.get, "/queues") { .page(try await queues($0), for: $0.request) },
      page(.post, "/queues/{verb}", changeRule(_:)),
    ]
  }

  /// The most lines of queues and kinds on the page.
  private static let mostLines = 500

  private func queues(_ visit: OperatorVisit, fault: DomainError? = nil) async throws -> HTML {
    let words = visit.words
    let lines = try await jobCounts().lines
    let rules = try await QueueAdministration(services).rules()
    func link(_ line: JobCounts.Line, _ state: JobState, _ text: String) -> HTML {
      let choice = JobChoice(JobFilter(state: state, kind: line.kind, queue: line.queue))
      let name = "\(line.kind), \(words("job.state.\(state.rawValue)"))"
      return "<a href=\"\(link: choice.place)\">\(text)<span class=\"unseen\"> \(name)</span></a>"
    }
    func cell(_ line: JobCounts.Line, _ count: JobCounts.Count, _ state: JobState) -> HTML {
      let text = visit.count(count, isAtMost: state == .running)
      return count.jobs == 0 ? "<span class=\"quiet\">0</span>" : link(line, state, text)
    }
    let table = CellTable(
      label: words("operator.queues"),
      heads: [
        .init(words("job.kind")), .init(words("job.queue")), .init(words("people.state")),
        .init(words("operator.count.ready"), isNumber: true),
        .init(words("operator.count.later"), isNumber: true),
        .init(words("operator.count.retrying"), isNumber: true),
        .init(words("operator.count.running"), isNumber: true),
        .init(words("operator.count.dead"), isNumber: true),
        .init(words("operator.count.cancelled"), isNumber: true),
        .init(words("operator.count.oldest"), isNumber: true),
        .init(words("operator.count.minute"), isNumber: true),
      ],
      rows: lines.prefix(Self.mostLines).map { line in
        [
          "\(line.kind)", "\(line.queue)",
          line.isPaused
            ? Pill.html(words("schedule.paused"), .failed) : Pill.html(words("schedule.active"), .done),
          cell(line, line.queued, .queued), "\(visit.count(line.waiting))",
          cell(line, line.retrying, .retrying), cell(line, line.running, .running),
          cell(line, line.dead, .dead), cell(line, line.cancelled, .cancelled),
          line.oldest.map { "\(visit.age($0))" } ?? .none, "\(visit.number(line.started.minute))",
        ]
      },
      empty: "<p>\(words("job.none"))</p>"
    )
    let names = (
      queues: Set(lines.map(\.queue)).sorted(), kinds: Set(lines.map(\.kind)).sorted(),
      companies: try await companyNames()
    )
    return visit.html(
      "queues",
      fault: fault,
      every: 2,
      """
      <p class="quiet">\(words("operator.queues.text"))</p>\(table.html)
      <h2>\(words("operator.rules"))</h2>\(ruleTable(rules, visit))
      <details class="card"\(flag: "open", if: fault != nil)><summary>\(words("operator.rule.new"))</summary>
      <form class="form" method="post" action="\(link: Place(["queues", "set"]))">
      <p class="hint">\(words("operator.rule.text"))</p>
      \(visit.field("queue", words("job.queue"), nil, among: names.queues))\(visit.field("kind", words("job.kind"), nil, among: names.kinds))\(visit.field("company", words("operator.company"), nil, among: names.companies))
      \(visit.field("reason", words("operator.reason"), nil))\(visit.field("running", words("operator.most-running"), nil))\(visit.field("rate", words("operator.rate"), nil))
      <label class="radio"><input type="checkbox" name="all" value="true">\(words("operator.rule.all"))</label>
      <label class="radio"><input type="checkbox" name="each" value="true">\(words("operator.rule.each"))</label>
      <div class="buttons"><button class="button primary" type="submit" name="rule" value="pause">\(words("schedule.pause"))</button>
      <button class="button" type="submit" name="rule" value="limit">\(words("operator.limit"))</button></div>
      </form></details>
      """
    )
  }

  private func ruleTable(_ rules: [QueueRule], _ visit: OperatorVisit) -> HTML {
    let words = visit.words
    return CellTable(
      label: words("operator.rules"),
      heads: [
        .init(words("operator.rule")), .init(words("job.queue")), .init(words("job.kind")),
        .init(words("operator.company")), .init(words("operator.why")), .init(words("audit.who")),
        .init(words("company.since")), .init(words("people.actions"), isUnseen: true),
      ],
      rows: rules.map { rule in
        let name = words("operator.rule.\(rule.rule.rawValue)")
        let most = rule.maxRunning.map { words("operator.rule.running", visit.number($0)) }
        let rate = rule.rateCount.map {
          JobRate(count: $0, seconds: max(1, Int(clamping: rule.ratePeriod ?? 1))).text
        }
        let each = rule.isForEach ? words("operator.rule.each-short") : nil
        let facts = [most, rate, each].compactMap(\.self).joined(separator: ", ")
        let verb = rule.rule == .pause ? "resume" : "unlimit"
        let fields = [
          ("queue", rule.queue), ("kind", rule.kind), ("company", rule.company),
          ("each", rule.isForEach ? "true" : nil),
        ].compactMap { name, value in value.map { (name: name, value: $0) } }
        let subject = [rule.queue, rule.kind, rule.company].compactMap(\.self).joined(separator: " ")
        return [
          "\(name)\(facts.isEmpty ? "" : ": \(facts)")", "\(rule.queue ?? words("operator.all"))",
          "\(rule.kind ?? words("operator.all"))", "\(own: rule.company ?? words("operator.all"))",
          "\(own: rule.reason ?? "")", "\(own: rule.madeBy)", visit.moments.html(rule.createdAt),
          ActionButton.html(
            Place(["queues", verb]),
            words(rule.rule == .pause ? "schedule.resume" : "operator.unlimit"),
            of: subject,
            fields: fields
          ),
        ]
      },
      empty: "<p>\(words("operator.rules.none"))</p>"
    ).html
  }

  private func changeRule(_ visit: OperatorVisit) async throws -> APIAnswer {
    let form = try visit.request.form()
    let verb = try visit.request.parameter("verb")
    guard ["set", "resume", "unlimit"].contains(verb) else { throw DomainError(.notFound) }
    return try await change(to: Place(["queues"]), again: { try await queues(visit, fault: $0) }) {
      let (queue, kind) = (form.text("queue"), form.text("kind"))
      guard verb != "set" || queue != nil || kind != nil || form["all"] != nil else {
        throw DomainError(.invalidInput, "the rule names neither a queue nor a kind")
      }
      if verb == "set" { try await KnownNames(services).requireRule(queue: queue, kind: kind) }
      // The jobs of all companies belong to the system company, as for the commands.
      let acting = try await acting(form.text("company") ?? "system")
      let administration = QueueAdministration(services)
      switch (verb, form["rule"]) {
      case ("resume", _): try await administration.resume(acting, queue: queue, kind: kind)
      case ("set", "limit"): try await limit(form, acting, administration)
      case ("set", _):
        try await administration.pause(acting, queue: queue, kind: kind, reason: form.text("reason"))
      default:
        try await administration.limit(
          acting,
          queue: queue,
          kind: kind,
          forEach: form["each"] != nil,
          maxRunning: nil,
          rate: nil
        )
      }
    }
  }

  private func limit(_ form: FormBody, _ acting: ActingContext, _ administration: QueueAdministration)
    async throws
  {
    let running = try form.text("running").map { text in
      guard let number = Int(text), (1...1_000_000).contains(number) else {
        throw DomainError(.invalidNumber, "\(Quoted(text)) is not a number of jobs from 1 to 1000000")
      }
      return number
    }
    let rate = try form.text("rate").map { try JobRate(parsing: $0) }
    guard running != nil || rate != nil else {
      throw DomainError(.invalidInput, "a limit has a number of running jobs, or a rate")
    }
    guard form["each"] == nil || form.text("company") == nil else {
      throw DomainError(.invalidInput, "a limit for each company names no company")
    }
    try await administration.limit(
      acting,
      queue: form.text("queue"),
      kind: form.text("kind"),
      forEach: form["each"] != nil,
      maxRunning: running,
      rate: rate.map { JobRules.Limit.Rate(count: $0.count, period: .seconds($0.seconds)) }
    )
  }

  /// The short names of companies to choose from, at most 200: a browser need not load thousands.
  func companyNames() async throws -> [String] { Array(try await companyRows().map(\.slug).prefix(200)) }
}
