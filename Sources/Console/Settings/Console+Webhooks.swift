internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The webhooks of a company, with their deliveries.
extension Console {
  var webhookRoutes: [Route] {
    [
      inside(.get, "/settings/webhooks") { .page(try await webhooks($0), for: $0.request) },
      inside(.post, "/settings/webhooks", addWebhook(_:)),
      inside(.get, "/settings/webhooks/{webhook}") { .page(try await webhook($0), for: $0.request) },
      inside(.post, "/settings/webhooks/{webhook}", changeWebhook(_:)),
      inside(.post, "/settings/webhooks/{webhook}/{verb}", actOnWebhook(_:)),
      inside(.post, "/settings/webhooks/{webhook}/deliveries/{attempt}", redeliver(_:)),
    ]
  }

  private func webhooks(_ visit: Visit, _ form: FormBody? = nil, _ fault: DomainError? = nil) async throws
    -> HTML
  {
    let page = SettingsPage(visit, try await screens.frame(visit.acting))
    let words = page.words
    let (items, _) = try await items(["v1", "webhooks"], visit)
    let table = ItemTable(
      label: words("settings.webhooks"),
      columns: [
        .init(words("webhook.url")) { item in
          "<a href=\"\(link: page.place("webhooks", item["id"]?.string ?? ""))\">\(own: item["url"]?.string ?? "")</a>"
        },
        .init(words("people.state")) { Self.state($0, words) },
        .init(words("webhook.events")) { "\(Self.names($0["events"]).joined(separator: ", "))" },
        .init(words("company.since")) { page.moments.html($0["created_at"]) },
      ],
      items: items,
      empty: "<p>\(words("webhook.none"))</p>"
    )
    var add = HTML.none
    if page.frame.may("webhook.update") {
      let chosen = form.map { Set($0.all("event")) } ?? []
      add = """
        <section class="card"><h2>\(words("webhook.add"))</h2><form class="form" method="post" action="\(link: page.place("webhooks"))">\(hidden("key", newKey()))
        \(try await fields(visit, page, url: form?["url"] ?? "", chosen: chosen))
        <div class="buttons"><button class="button primary" type="submit">\(words("webhook.add"))</button></div></form></section>
        """
    }
    return page.html(
      "webhooks",
      fault: fault,
      "<p class=\"quiet\">\(words("webhook.text"))</p>\(table.html)\(add)"
    )
  }

  /// The address of a receiver and the events that it gets, by type.
  private func fields(_ visit: Visit, _ page: SettingsPage, url: String, chosen: Set<String>) async throws
    -> HTML
  {
    let words = page.words
    let events = try await items(["v1", "webhooks", "events"], visit).items.compactMap { $0["event"]?.string }
    var types: [String] = []
    func type(_ event: String) -> String { event.split(separator: ".").prefix(2).joined(separator: ".") }
    for event in events where !types.contains(type(event)) { types.append(type(event)) }
    let groups = types.map { name -> HTML in
      let title = page.frame.types.first { $0.name == name }.map { TypeWords($0, words).plural } ?? name
      let boxes = events.filter { type($0) == name }.map { event -> HTML in
        let last = String(event.split(separator: ".").last ?? "")
        let label = last == "*" ? words("webhook.all") : words.known("webhook.event.\(last)") ?? last
        return """
          <label class="radio"><input type="checkbox" name="event" value="\(event)"\(flag: "checked", if: chosen.contains(event))>\(label) <span class="quiet">\(event)</span></label>
          """
      }
      let isOpen = chosen.contains { type($0) == name }
      return "<details\(flag: "open", if: isOpen)><summary>\(title)</summary>\(boxes)</details>"
    }
    return """
      <div class="field"><label for="url">\(words("webhook.url"))</label><p class="hint" id="url-hint">\(words("webhook.url.hint"))</p><input id="url" name="url" type="url" required maxlength="2000" aria-describedby="url-hint" value="\(url)"></div>
      <fieldset class="field"><legend>\(words("webhook.events"))</legend>\(groups)</fieldset>
      """
  }

  private func addWebhook(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    do {
      let answer = try await inner.send(
        .post,
        ["v1", "webhooks"],
        json: ["url": .string(form.text("url") ?? ""), "events": .strings(form.all("event"))],
        key: form["key"],
        for: visit.request
      ).object
      return .page(try await secret(visit, answer), status: 201)
    } catch let error as DomainError where error.isAboutInput {
      return .page(try await webhooks(visit, form, error), status: 422)
    }
  }

  /// A secret, which is shown once.
  private func secret(_ visit: Visit, _ made: JSONObject, of id: String? = nil) async throws -> HTML {
    let page = SettingsPage(visit, try await screens.frame(visit.acting))
    let place = page.place("webhooks", id ?? made["id"]?.string ?? "")
    return page.html(
      "webhooks",
      title: page.words("webhook.secret"),
      """
      <section class="card"><p>\(page.words("webhook.secret.text"))</p><p class="code">\(made["secret"]?.string ?? "")</p>
      <p><a class="button primary" href="\(link: place)">\(page.words("webhook.go"))</a></p></section>
      """
    )
  }

  private func webhook(_ visit: Visit, _ form: FormBody? = nil, _ fault: DomainError? = nil) async throws
    -> HTML
  {
    let page = SettingsPage(visit, try await screens.frame(visit.acting))
    let (words, id) = (page.words, try visit.request.parameter("webhook"))
    let hook = try await inner.send(.get, ["v1", "webhooks", id], for: visit.request).object
    let isActive = hook["active"]?.bool == true
    let mayChange = page.frame.may("webhook.update")
    let verbs = ["test", isActive ? "off" : "on", "rotate", "remove"]
    let actions = verbs.map { verb in
      ActionButton.html(
        page.place("webhooks", id, verb),
        words("webhook.\(verb)"),
        key: newKey(),
        isDanger: verb == "remove"
      )
    }
    let reason: HTML = hook["reason"]?.string.map { Notice.bar($0, "warning") } ?? .none
    var query: [(name: String, value: String)] = [("limit", "30")]
    if let after = visit.request.asked("after") { query.append(("after", after)) }
    let (attempts, next) = try await items(["v1", "webhooks", id, "deliveries"], query: query, visit)
    let table = ItemTable(
      label: words("webhook.deliveries"),
      columns: [
        .init(words("audit.at")) { page.moments.html($0["at"]) },
        .init(words("webhook.event"), text: "event"),
        .init(words("bulk.result")) { item in
          let status = item["status"]?.number?.integer.map { "\($0)" } ?? item["reason"]?.string ?? ""
          let isGood = item["outcome"]?.string == "succeeded"
          return Pill.html(
            status.isEmpty ? words(isGood ? "webhook.good" : "webhook.bad") : status,
            isGood ? .done : .failed
          )
        },
        .init(words("job.attempt"), isNumber: true) { "\($0["attempt"]?.number?.integer ?? 0)" },
        .init(words("webhook.ms"), isNumber: true) { "\($0["ms"]?.number?.integer ?? 0)" },
        .init(words("webhook.answer")) { "\(own: String(($0["answer"]?.string ?? "").prefix(160)))" },
        .init(words("people.actions"), isUnseen: true) { item in
          guard mayChange, let attempt = item["id"]?.string else { return .none }
          return ActionButton.html(
            page.place("webhooks", id, "deliveries", attempt),
            words("webhook.again"),
            of: item["event"]?.string ?? ""
          )
        },
      ],
      items: attempts,
      empty: "<p>\(words("webhook.deliveries.none"))</p>"
    )
    var edit = HTML.none
    if mayChange {
      let chosen = form.map { $0.all("event") } ?? Self.names(hook["events"])
      edit = """
        <details class="card"><summary>\(words("webhook.change"))</summary><form class="form" method="post" action="\(link: page.place("webhooks", id))">
        \(try await fields(visit, page, url: form?["url"] ?? hook["url"]?.string ?? "", chosen: Set(chosen)))
        <div class="buttons"><button class="button primary" type="submit">\(words("form.save"))</button></div></form></details>
        """
    }
    return page.html(
      "webhooks",
      title: hook["url"]?.string ?? "",
      actions: mayChange ? .joined(actions) : .none,
      fault: fault,
      """
      <p class="crumb"><a href="\(link: page.place("webhooks"))">\(words("settings.webhooks"))</a></p>\(reason)
      <section class="card"><dl>\(fact(words("people.state"), Self.state(hook, words)))\(fact(words("webhook.events"), "\(Self.names(hook["events"]).joined(separator: ", "))"))\(fact(words("company.since"), page.moments.html(hook["created_at"])))</dl></section>
      \(edit)<h2>\(words("webhook.deliveries"))</h2>\(mayChange && attempts.contains { $0["outcome"]?.string != "succeeded" } ? failedForm(page, id) : .none)\(table.html)
      \(Pager.next(next.map { page.place("webhooks", id, query: [("after", $0)]) }, words))
      """
    )
  }

  private func failedForm(_ page: SettingsPage, _ id: String) -> HTML {
    "<p>\(ActionButton.html(page.place("webhooks", id, "failed"), page.words("webhook.failed"), key: newKey()))</p>"
  }

  private func changeWebhook(_ visit: Visit) async throws -> APIAnswer {
    let (form, id) = (try visit.form(), try visit.request.parameter("webhook"))
    return try await change(
      visit,
      to: visit.place("settings", "webhooks", id),
      again: { try await webhook(visit, form, $0) }
    ) {
      let body: JSONObject = [
        "url": .string(form.text("url") ?? ""), "events": .strings(form.all("event")),
      ]
      _ = try await inner.send(.patch, ["v1", "webhooks", id], json: body, for: visit.request)
    }
  }

  private func actOnWebhook(_ visit: Visit) async throws -> APIAnswer {
    let (form, id) = (try visit.form(), try visit.request.parameter("webhook"))
    let path = ["v1", "webhooks", id]
    let verb = try visit.request.parameter("verb")
    guard ["on", "off", "remove", "test", "rotate", "failed"].contains(verb) else {
      throw DomainError(.notFound)
    }
    if verb == "rotate" {
      let made = try await inner.send(.post, path + [verb], key: form["key"], for: visit.request).object
      return .page(try await secret(visit, made, of: id), status: 201)
    }
    let all = visit.place("settings", "webhooks")
    return try await change(
      visit,
      to: verb == "remove" ? all : visit.place("settings", "webhooks", id),
      again: { try await webhook(visit, nil, $0) }
    ) {
      switch verb {
      case "on", "off":
        _ = try await inner.send(.patch, path, json: ["active": .bool(verb == "on")], for: visit.request)
      case "remove": _ = try await inner.send(.delete, path, for: visit.request)
      case "failed":
        let now = try await screens.frame(visit.acting).now.microseconds
        let since = Instant(microseconds: now - 7 * 86_400 * 1_000_000)
        let body: JSONObject = ["since": .string(since.rfc3339)]
        let route = path + ["redeliver"]
        _ = try await inner.send(.post, route, json: body, key: form["key"], for: visit.request)
      default: _ = try await inner.send(.post, path + [verb], key: form["key"], for: visit.request)
      }
    }
  }

  private func redeliver(_ visit: Visit) async throws -> APIAnswer {
    let (id, attempt) = (try visit.request.parameter("webhook"), try visit.request.parameter("attempt"))
    return try await change(
      visit,
      to: visit.place("settings", "webhooks", id),
      again: { try await webhook(visit, nil, $0) }
    ) {
      let path = ["v1", "webhooks", id, "deliveries", attempt, "redeliver"]
      _ = try await inner.send(.post, path, for: visit.request)
    }
  }

  private static func names(_ value: JSONValue?) -> [String] { value?.array?.compactMap(\.string) ?? [] }

  private static func state(_ hook: JSONObject, _ words: Words) -> HTML {
    guard hook["active"]?.bool == true else { return Pill.html(words("webhook.is.off"), .open) }
    return hook["circuit"]?.string == "open"
      ? Pill.html(words("webhook.is.failing"), .failed) : Pill.html(words("webhook.is.on"), .done)
  }
}
