internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The company's own settings: its name, its time zone, and what its plan contains.
extension Console {
  var companyRoutes: [Route] {
    [
      inside(.get, "/settings", settings(_:)), inside(.get, "/settings/company", company(_:)),
      inside(.post, "/settings/company", changeCompany(_:)),
    ]
  }

  private func settings(_ visit: Visit) async throws -> APIAnswer {
    guard let first = SettingsPage.first(try await screens.frame(visit.acting)) else {
      throw DomainError(.forbidden)
    }
    return .see(visit.place("settings", first))
  }

  private func company(_ visit: Visit) async throws -> APIAnswer {
    .page(try await companyPage(visit), for: visit.request)
  }

  private func changeCompany(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    let place = visit.place("settings", "company")
    return try await change(visit, to: place, again: { try await companyPage(visit, form, $0) }) {
      var body: JSONObject = [:]
      if let name = form.text("name") { body["name"] = .string(name) }
      if let zone = form.text("timezone") { body["timezone"] = .string(zone) }
      if form["chooses"] != nil { body["apps"] = .strings(form.all("apps")) }
      _ = try await inner.send(.patch, ["v1", "company"], json: body, for: visit.request)
    }
  }

  private func companyPage(_ visit: Visit, _ form: FormBody? = nil, _ fault: DomainError? = nil) async throws
    -> HTML
  {
    let page = SettingsPage(visit, try await screens.frame(visit.acting))
    let words = page.words
    let company = try await inner.send(.get, ["v1", "company"], for: visit.request).object
    let name = form?["name"] ?? company["name"]?.string ?? ""
    let zone = form?["timezone"] ?? company["timezone"]?.string ?? ""
    let used = (company["apps"]?.array ?? []).compactMap(\.string)
    let installed = try await installedApps()
    let edit: HTML =
      page.frame.may("company.update")
      ? """
      <form class="form" method="post" action="\(link: page.place("company"))">
      <div class="field"><label for="name">\(words("company.name"))</label><input id="name" name="name" maxlength="200" required value="\(name)"></div>
      <div class="field"><label for="timezone">\(words("company.zone"))</label><p class="hint" id="zone-hint">\(words("company.zone.hint"))</p><input id="timezone" name="timezone" required aria-describedby="zone-hint" value="\(zone)"></div>
      \(appBoxes(installed, used: form.map { $0.all("apps") } ?? used, words))
      <div class="buttons"><button class="button primary" type="submit">\(words("form.save"))</button></div></form>
      """
      : "<dl>\(fact(words("company.name"), "\(own: name)"))\(fact(words("company.zone"), "\(zone)"))</dl>"
    let apps = TypeWords.apps(used).map { TypeWords.title(of: $0, among: installed, words) }
    let administrators = (company["administrators"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
    let facts: HTML = """
      \(fact(words("company.address"), "\(visit.company.slug)"))\(page.frame.may("company.update") ? .none : fact(words("company.apps"), "\(apps.joined(separator: ", "))"))\(fact(words("company.members"), "\(Int(company["members"]?.number?.integer ?? 0))"))\(fact(words("company.administrators"), "\(own: administrators)"))\(fact(words("company.since"), page.moments.html(company["created_at"])))
      """
    return page.html(
      "company",
      fault: fault,
      """
      <section class="card">\(edit)<dl class="about">\(facts)</dl></section>
      \(try await entitlements(visit, page))
      """
    )
  }

  /// The apps, those that the company uses ticked.
  private func appBoxes(_ apps: [InstalledApp], used: [String], _ words: Words) -> HTML {
    let boxes = TypeWords.apps(apps.map(\.name)).map { app -> HTML in
      """
      <label class="radio"><input type="checkbox" name="apps" value="\(app)"\(flag: "checked", if: used.contains(app))>\(TypeWords.title(of: app, among: apps, words))</label>
      """
    }
    return """
      <fieldset class="field">\(hidden("chooses", "apps"))<legend>\(words("company.apps"))</legend><p class="hint">\(words("company.apps.hint"))</p><div class="choices">\(boxes)</div></fieldset>
      """
  }

  /// What the company's plan contains, and until when.
  private func entitlements(_ visit: Visit, _ page: SettingsPage) async throws -> HTML {
    let words = page.words
    let (items, _) = try await items(["v1", "entitlements"], visit)
    let table = ItemTable(
      label: words("company.plan"),
      columns: [
        .init(words("company.plan.name"), text: "name"), .init(words("company.plan.member"), text: "member"),
        .init(words("company.plan.from")) { page.moments.html($0["from"]) },
        .init(words("company.plan.until")) { item in
          item["until"]?.string == nil ? "\(words("company.plan.open"))" : page.moments.html(item["until"])
        },
      ],
      items: items,
      empty: "<p>\(words("company.plan.none"))</p>"
    )
    return "<section class=\"card\"><h2>\(words("company.plan"))</h2>\(table.html)</section>"
  }
}
