internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The companies of the installation, and one of them.
extension OperatorConsole {
  var companyRoutes: [Route] {
    [
      page(.get, "/companies") { .page(try await list($0), for: $0.request) },
      page(.get, "/companies/{company}") { .page(try await company($0), for: $0.request) },
      page(.get, "/companies/{company}/{verb}") { .page(try await confirmation($0), for: $0.request) },
      page(.post, "/companies/{company}/{verb}", changeStatus(_:)),
    ]
  }

  private static let verbs: [String: CompanyStatus] = [
    "suspend": .suspended, "archive": .archived, "activate": .active,
  ]

  private static func pill(_ status: CompanyStatus, _ words: Words) -> HTML {
    Pill.html(
      words("operator.company.\(status.rawValue)"),
      status == .active ? .done : status == .suspended ? .active : .open
    )
  }

  private func list(_ visit: OperatorVisit) async throws -> HTML {
    let words = visit.words
    let search = visit.asked("q") ?? ""
    let all = try await companyRows().filter { row in
      search.isEmpty || row.slug.contains(search.lowercased())
        || row.name.lowercased().contains(search.lowercased())
    }.sorted { $0.slug < $1.slug }
    let rest = all.filter { $0.slug > visit.asked("after") ?? "" }
    let rows = rest.prefix(OperatorVisit.rows)
    let asked: [(name: String, value: String)] = search.isEmpty ? [] : [("q", search)]
    let next =
      rest.count > rows.count
      ? rows.last.map { Place(["companies"], query: asked + [("after", $0.slug)]) } : nil
    let table = CellTable(
      label: words("operator.companies"),
      heads: [
        .init(words("operator.company")), .init(words("people.name")), .init(words("people.state")),
        .init(words("company.zone")), .init(words("company.since")),
      ],
      rows: rows.map { row in
        [
          OperatorVisit.link(company: row.slug), "\(own: row.name)", Self.pill(row.status, words),
          "\(row.timeZone)", visit.moments.html(row.createdAt),
        ]
      },
      empty: "<p>\(words("operator.companies.none"))</p><p><code>fettle company create</code></p>"
    )
    return visit.html(
      "companies",
      """
      <form class="filters" method="get" action="/companies">\(visit.field("q", words("shell.search"), search))<button class="button" type="submit">\(words("list.show"))</button></form>
      <p class="found">\(words.count("operator.companies.count", all.count))</p>\(table.html)
      \(visit.pager(first: Place(["companies"], query: asked), next: next, isFirst: visit.asked("after") == nil))
      """
    )
  }

  private func company(_ visit: OperatorVisit, fault: DomainError? = nil) async throws -> HTML {
    let words = visit.words
    let slug = try visit.request.parameter("company")
    let acting = try await acting(slug)
    let company = acting.company
    let next = Self.verbs.filter { company.status.next.contains($0.value) }.keys.sorted()
    let buttons = next.map { verb -> HTML in
      "<a class=\"button\" href=\"\(link: Place(["companies", slug, verb]))\">\(words("operator.company.\(verb)"))</a>"
    }
    let query = [(name: "company", value: slug)]
    let links = [
      ("jobs", Place(["jobs"], query: query)), ("schedules", Place(["schedules"], query: query)),
      ("audit", Place(["audit"], query: query)), ("sync", Place(["sync"], query: query)),
      ("verify", Place(["verify"], query: query)),
    ].map { name, place -> HTML in
      "<a class=\"button\" href=\"\(link: place)\">\(words("operator.\(name)"))</a>"
    }
    // An archived company cannot be read, except that it is archived.
    let details: HTML = company.status.permits(.read) ? try await details(acting, visit) : .none
    return visit.html(
      "companies",
      title: company.name,
      crumb: "<p class=\"crumb\"><a href=\"/companies\">\(words("operator.companies"))</a></p>",
      actions: .joined(buttons),
      fault: fault,
      """
      <section class="card"><dl>\(fact(words("people.state"), Self.pill(company.status, words)))\(fact(words("company.address"), "\(company.slug)"))\(fact(words("company.zone"), "\(company.timeZone)"))\(fact(words("company.since"), visit.moments.html(company.createdAt)))\(fact(words("operator.id"), "\(company.id.text)"))</dl>
      <div class="buttons">\(links)</div></section>\(details)
      """
    )
  }

  /// The most members on the page of a company.
  private static let mostMembers = 200

  private func details(_ acting: ActingContext, _ visit: OperatorVisit) async throws -> HTML {
    let words = visit.words
    let overview = try await Companies(services).show(acting)
    let members = try await Members(services).list(acting)
    let quotas = try await Quotas(services, try await Records.open(services)).list(acting)
    let people = CellTable(
      label: words("company.members"),
      heads: [
        .init(words("people.name")), .init(words("account.email")), .init(words("people.role")),
        .init(words("people.state")), .init(words("company.since")),
      ],
      rows: members.prefix(Self.mostMembers).map { member in
        [
          "\(own: member.name)", "\(own: member.email)", "\(member.role)",
          member.status == .active && !member.isDisabled
            ? Pill.html(words("people.active"), .done) : Pill.html(words("people.suspended"), .open),
          visit.moments.html(member.since),
        ]
      },
      empty: "<p>\(words("operator.members.none"))</p>"
    )
    let limits = CellTable(
      label: words("operator.quotas"),
      heads: [
        .init(words("operator.type")), .init(words("people.used"), isNumber: true),
        .init(words("operator.quota"), isNumber: true),
      ],
      rows: quotas.filter { $0.used > 0 || $0.maximum != nil }.map { usage in
        [
          "\(usage.type)", "\(visit.number(usage.used))",
          usage.maximum.map { "\(visit.number($0))" }
            ?? "<span class=\"quiet\">\(words("operator.no-limit"))</span>",
        ]
      },
      empty: "<p>\(words("operator.quotas.none"))</p>"
    )
    let apps = overview.apps.isEmpty ? "–" : overview.apps.joined(separator: ", ")
    return """
      <section class="card"><dl>\(fact(words("company.apps"), "\(apps)"))\(fact(words("company.members"), "\(visit.number(overview.members))"))\(fact(words("people.invites"), "\(visit.number(overview.openInvites))"))</dl></section>
      <h2>\(words("company.members"))</h2>\(people.html)
      <h2>\(words("operator.quotas"))</h2>\(limits.html)
      """
  }

  /// The page that says what a change of status means, before it happens.
  private func confirmation(_ visit: OperatorVisit, fault: DomainError? = nil) async throws -> HTML {
    let words = visit.words
    let (slug, verb) = (try visit.request.parameter("company"), try visit.request.parameter("verb"))
    guard Self.verbs[verb] != nil else { throw DomainError(.notFound) }
    let company = try await contexts.company(slug)
    return visit.html(
      "companies",
      title: words("operator.company.\(verb).title", company.name),
      crumb:
        "<p class=\"crumb\"><a href=\"\(link: Place(["companies", slug]))\">\(own: company.name)</a></p>",
      fault: fault,
      """
      <p class="lead">\(words("operator.company.\(verb).text"))</p>
      <form method="post" action="\(link: Place(["companies", slug, verb]))"><div class="buttons"><button class="button primary" type="submit">\(words("operator.company.\(verb)"))</button>
      <a class="button" href="\(link: Place(["companies", slug]))">\(words("operator.back"))</a></div></form>
      """
    )
  }

  private func changeStatus(_ visit: OperatorVisit) async throws -> APIAnswer {
    let (slug, verb) = (try visit.request.parameter("company"), try visit.request.parameter("verb"))
    guard let status = Self.verbs[verb] else { throw DomainError(.notFound) }
    return try await change(
      to: Place(["companies", slug]),
      again: { try await confirmation(visit, fault: $0) }
    ) { try await Companies(services).setStatus(try await acting(slug), to: status) }
  }
}
