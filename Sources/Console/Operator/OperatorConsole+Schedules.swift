internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The schedules of a company.
extension OperatorConsole {
  var scheduleRoutes: [Route] {
    [
      page(.get, "/schedules") { .page(try await schedules($0, of: $0.asked("company")), for: $0.request) },
      page(.post, "/schedules/{company}/{schedule}/{verb}", changeSchedule(_:)),
    ]
  }

  /// Returns the form that chooses a company, and the company: the only one is chosen already.
  func companyForm(_ section: String, _ asked: String?, _ visit: OperatorVisit) async throws
    -> (html: HTML, company: String?)
  {
    let names = try await companyNames()
    let chosen = asked ?? (names.count == 1 ? names[0] : nil)
    let words = visit.words
    let links = names.prefix(20).map { name -> HTML in
      "<li><a href=\"\(link: Place([section], query: [("company", name)]))\">\(own: name)</a></li>"
    }
    let list: HTML = chosen == nil ? "<ul class=\"rows\">\(links)</ul>" : .none
    let form: HTML = """
      <form class="filters" method="get" action="\(link: Place([section]))">\(visit.field("company", words("operator.company"), chosen, among: names))<button class="button" type="submit">\(words("list.show"))</button></form>
      """
    return (form + list, chosen)
  }

  private func schedules(_ visit: OperatorVisit, of asked: String?, fault: DomainError? = nil) async throws
    -> HTML
  {
    let words = visit.words
    let (form, company) = try await companyForm("schedules", asked, visit)
    guard let company else { return visit.html("schedules", fault: fault, form) }
    let rows = try await Schedules(services).list(try await acting(company))
    let table = CellTable(
      label: words("operator.schedules"),
      heads: [
        .init(words("operator.schedule")), .init(words("schedule.when")), .init(words("people.state")),
        .init(words("schedule.next")), .init(words("schedule.last")),
        .init(words("people.actions"), isUnseen: true),
      ],
      rows: rows.map { row in
        let state = row.isHeld ? "held" : row.pausedAt == nil ? "active" : "paused"
        let verbs = ["run", row.pausedAt == nil ? "pause" : "resume"]
        let job: HTML =
          row.lastJob.map {
            "<a href=\"\(link: Place(["jobs", company, $0.text]))\">\(visit.moments.html(row.lastAt))</a>"
          }
          ?? visit.moments.html(row.lastAt)
        return [
          row.kind == row.name
            ? "\(row.name)" : "\(row.name) <span class=\"quiet\">\(row.kind)</span>",
          "<code>\(row.cron)</code> <span class=\"quiet\">\(row.timeZone)</span>",
          Pill.html(words("schedule.\(state)"), state == "active" ? .done : .open),
          visit.moments.html(row.nextAt), job,
          .joined(
            verbs.map { verb in
              ActionButton.html(
                Place(["schedules", company, row.name, verb]),
                words("schedule.\(verb)"),
                of: row.name
              )
            }
          ),
        ]
      },
      empty: "<p>\(words("schedule.none"))</p>"
    )
    return visit.html("schedules", fault: fault, "\(form)\(table.html)")
  }

  private func changeSchedule(_ visit: OperatorVisit) async throws -> APIAnswer {
    let company = try visit.request.parameter("company")
    let (name, verb) = (try visit.request.parameter("schedule"), try visit.request.parameter("verb"))
    guard ["run", "pause", "resume"].contains(verb) else { throw DomainError(.notFound) }
    return try await change(
      to: Place(["schedules"], query: [("company", company)]),
      again: { try await schedules(visit, of: company, fault: $0) }
    ) {
      let (schedules, acting) = (Schedules(services), try await acting(company))
      switch verb {
      case "run": _ = try await schedules.run(acting, name: name)
      case "pause": try await schedules.pause(acting, name: name)
      default: try await schedules.resume(acting, name: name)
      }
    }
  }
}
