internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The jobs and schedules of a company.
extension Console {
  var jobRoutes: [Route] {
    [
      inside(.get, "/settings/jobs", jobs(_:)), inside(.get, "/settings/jobs/{job}", job(_:)),
      inside(.post, "/settings/jobs/{job}/{verb}", changeJob(_:)),
      inside(.post, "/settings/schedules/{schedule}/{verb}", changeSchedule(_:)),
    ]
  }

  private static let states = ["queued", "running", "retrying", "succeeded", "dead", "cancelled"]

  private func jobs(_ visit: Visit) async throws -> APIAnswer {
    .page(try await jobsPage(visit), for: visit.request)
  }

  private func jobsPage(_ visit: Visit, fault: DomainError? = nil) async throws -> HTML {
    let page = SettingsPage(visit, try await screens.frame(visit.acting))
    let words = page.words
    let state = visit.request.asked("state").flatMap { Self.states.contains($0) ? $0 : nil }
    let chosen = state.map { [(name: "state", value: $0)] } ?? []
    var query = chosen + [("limit", "50")]
    if let after = visit.request.asked("after") { query.append(("after", after)) }
    let (items, next) = try await items(["v1", "jobs"], query: query, visit)
    let tabs = ([nil] + Self.states.map(Optional.some)).map { name -> HTML in
      let label = words(name.map { "job.state.\($0)" } ?? "list.all")
      let place = page.place("jobs", query: name.map { [("state", $0)] } ?? [])
      return name == state
        ? "<li><a href=\"\(link: place)\" aria-current=\"true\">\(label)</a></li>"
        : "<li><a href=\"\(link: place)\">\(label)</a></li>"
    }
    let table = ItemTable(
      label: words("settings.jobs"),
      columns: [
        .init(words("job.kind")) { item in
          "<a href=\"\(link: page.place("jobs", item["id"]?.string ?? ""))\">\(Self.label(item, words))</a>"
        },
        .init(words("people.state")) { Self.pill($0, words) },
        .init(words("job.attempt"), isNumber: true) { item in "\(Self.attempts(item))" },
        .init(words("job.created")) { page.moments.html($0["created_at"]) },
        .init(words("job.finished")) { page.moments.html($0["finished_at"]) },
        .init(words("job.error")) { "\(own: String(($0["last_error"]?.string ?? "").prefix(200)))" },
      ],
      items: items,
      empty: "<p>\(words("job.none"))</p>"
    )
    let schedules: HTML =
      state == nil && visit.request.asked("after") == nil ? try await scheduleTable(visit, page) : .none
    return page.html(
      "jobs",
      fault: fault,
      """
      <p class="quiet">\(words("job.text"))</p><nav class="tabs" aria-label="\(words("list.states"))"><ul>\(tabs)</ul></nav>
      \(table.html)\(page.pager("jobs", next, query: chosen))\(schedules)
      """
    )
  }

  private func scheduleTable(_ visit: Visit, _ page: SettingsPage) async throws -> HTML {
    let words = page.words
    let (items, _) = try await items(["v1", "schedules"], visit)
    let table = ItemTable(
      label: words("schedule.title"),
      columns: [
        .init(words("job.kind")) { "\(Self.label($0, words))" },
        .init(words("schedule.when")) { item in
          "<code>\(item["cron"]?.string ?? "")</code> <span class=\"quiet\">\(item["timezone"]?.string ?? "")</span>"
        },
        .init(words("schedule.next")) { page.moments.html($0["next_at"]) },
        .init(words("schedule.last")) { page.moments.html($0["last_at"]) },
        .init(words("people.state")) { item in
          let isActive = item["state"]?.string == "active"
          return Pill.html(words("schedule.\(item["state"]?.string ?? "")"), isActive ? .done : .open)
        },
        .init(words("people.actions"), isUnseen: true) { item in
          guard page.frame.may("job.enqueue"), let name = item["name"]?.string else { return .none }
          let verb = item["state"]?.string == "active" ? "pause" : "resume"
          let label = Self.label(item, words)
          return [("run", "schedule.run"), (verb, "schedule.\(verb)")].reduce(.none) { html, action in
            html
              + ActionButton.html(
                visit.place("settings", "schedules", name, action.0),
                words(action.1),
                of: label
              )
          }
        },
      ],
      items: items,
      empty: "<p>\(words("schedule.none"))</p>"
    )
    return "<section class=\"card\"><h2>\(words("schedule.title"))</h2>\(table.html)</section>"
  }

  private func job(_ visit: Visit) async throws -> APIAnswer {
    .page(try await jobPage(visit), for: visit.request)
  }

  private func jobPage(_ visit: Visit, fault: DomainError? = nil) async throws -> HTML {
    let page = SettingsPage(visit, try await screens.frame(visit.acting))
    let words = page.words
    let id = try visit.request.parameter("job")
    let job = try await inner.send(.get, ["v1", "jobs", id], for: visit.request).object
    let state = job["state"]?.string ?? ""
    var actions: [HTML] = []
    if page.frame.may("job.retry"), ["dead", "cancelled", "retrying"].contains(state) {
      actions.append(ActionButton.html(page.place("jobs", id, "retry"), words("job.retry")))
    }
    if page.frame.may("job.cancel"), ["queued", "running", "retrying"].contains(state) {
      actions.append(ActionButton.html(page.place("jobs", id, "cancel"), words("job.cancel"), isDanger: true))
    }
    let attempts = ItemTable(
      label: words("job.attempts"),
      columns: [
        .init(words("job.attempt"), isNumber: true) { "\($0["attempt"]?.number?.integer ?? 0)" },
        .init(words("bulk.result")) { item in
          item["outcome"]?.string.map { "\(words.known("job.outcome.\($0)") ?? $0)" } ?? .none
        },
        .init(words("job.started")) { page.moments.html($0["started_at"]) },
        .init(words("job.finished")) { page.moments.html($0["finished_at"]) },
        .init(words("job.error"), text: "error"),
      ],
      items: job["attempts"]?.array?.compactMap(\.object) ?? [],
      empty: "<p>\(words("job.attempts.none"))</p>"
    )
    let notes = (job["notes"]?.array?.compactMap(\.object) ?? []).map { note -> HTML in
      "<li>\(page.moments.html(note["at"])) \(own: note["text"]?.string ?? "")</li>"
    }
    let progress: HTML =
      job["progress"]?.number.map {
        fact(words("job.progress"), "\(JSONValue.number($0).displayText)")
      } ?? .none
    return page.html(
      "jobs",
      title: Self.label(job, words),
      actions: .joined(actions),
      fault: fault,
      """
      <section class="card"><dl>\(fact(words("people.state"), Self.pill(job, words)))\(fact(words("job.attempt"), "\(Self.attempts(job))"))\(fact(words("job.created"), page.moments.html(job["created_at"])))\(fact(words("job.due"), page.moments.html(job["run_at"])))\(fact(words("job.finished"), page.moments.html(job["finished_at"])))\(fact(words("job.queue"), "\(job["queue"]?.string ?? "")"))\(progress)</dl></section>
      <h2>\(words("job.attempts"))</h2>\(attempts.html)\(notes.isEmpty ? .none : "<section class=\"card\"><h2>\(words("job.notes"))</h2><ul class=\"rows\">\(notes)</ul></section>")
      """
    )
  }

  private func changeJob(_ visit: Visit) async throws -> APIAnswer {
    let (id, verb) = (try visit.request.parameter("job"), try visit.request.parameter("verb"))
    guard ["retry", "cancel"].contains(verb) else { throw DomainError(.notFound) }
    return try await change(
      visit,
      to: visit.place("settings", "jobs", id),
      again: { try await jobPage(visit, fault: $0) }
    ) { _ = try await inner.send(.post, ["v1", "jobs", id, verb], for: visit.request) }
  }

  private func changeSchedule(_ visit: Visit) async throws -> APIAnswer {
    let (name, verb) = (try visit.request.parameter("schedule"), try visit.request.parameter("verb"))
    guard ["run", "pause", "resume"].contains(verb) else { throw DomainError(.notFound) }
    return try await change(
      visit,
      to: visit.place("settings", "jobs"),
      again: { try await jobsPage(visit, fault: $0) }
    ) { _ = try await inner.send(.post, ["v1", "schedules", name, verb], for: visit.request) }
  }

  private static func label(_ item: JSONObject, _ words: Words) -> String {
    let kind = item["kind"]?.string ?? ""
    return words.known("job.\(kind)") ?? kind
  }

  private static func attempts(_ job: JSONObject) -> String {
    "\(job["attempt"]?.number?.integer ?? 0) / \(job["max_attempts"]?.number?.integer ?? 0)"
  }

  private static func pill(_ job: JSONObject, _ words: Words) -> HTML {
    let state = job["state"]?.string ?? ""
    let category: StateCategory =
      switch state {
      case "succeeded": .done
      case "running", "retrying": .active
      case "dead": .failed
      default: .open
      }
    return Pill.html(words("job.state.\(state)"), category)
  }
}
