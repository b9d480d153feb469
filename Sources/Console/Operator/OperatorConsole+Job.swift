internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Logbook
internal import Store
internal import Web

/// One job: why it failed, and what can be done with it.
extension OperatorConsole {
  var jobRoutes: [Route] {
    [
      page(.get, "/jobs/{company}/{job}") { .page(try await job($0), for: $0.request) },
      page(.post, "/jobs/{company}/{job}/{verb}", changeJob(_:)),
    ]
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
