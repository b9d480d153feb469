internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The phones of a company's people: what has arrived, what waits, and conflicts that a person decides.
extension Console {
  var deviceRoutes: [Route] {
    [
      inside(.get, "/settings/devices") { .page(try await devices($0), for: $0.request) },
      inside(.post, "/settings/devices/{device}/revoke", revokeDevice(_:)),
      inside(.post, "/settings/devices/{device}/items/{no}/{verb}", decide(_:)),
    ]
  }

  private func devices(_ visit: Visit, fault: DomainError? = nil) async throws -> HTML {
    let page = SettingsPage(visit, try await screens.frame(visit.acting))
    let words = page.words
    let isAll = page.frame.may("member.read")
    let status = try await inner.send(
      .get,
      ["v1", "sync", "status"],
      query: isAll ? [("all", "true")] : [],
      for: visit.request
    ).object
    let devices = status["devices"]?.array?.compactMap(\.object) ?? []
    let names = Dictionary(devices.map { ($0["id"]?.string ?? "", $0) }) { first, _ in first }
    var waiting: [HTML] = []
    for item in status["items"]?.array?.compactMap(\.object) ?? [] {
      let device = names[item["device_id"]?.string ?? ""] ?? [:]
      waiting.append(try await conflict(item, of: device, at: waiting.count + 1, visit, page))
    }
    let own = visit.acting.user?.text
    let table = ItemTable(
      label: words("settings.devices"),
      columns: [
        .init(words("device.name")) { item in
          let name = item["name"]?.string ?? ""
          return "\(own: name.isEmpty ? item["platform"]?.string ?? "" : name)"
        },
        .init(words("device.of"), text: "user"),
        .init(words("device.waits"), isNumber: true) {
          "\($0["queue"]?.object?["pending"]?.number?.integer ?? 0)"
        },
        .init(words("device.decide"), isNumber: true) { item in
          let waiting = item["waiting"]?.object ?? [:]
          let count = (waiting["conflicts"]?.number?.integer ?? 0) + (waiting["failed"]?.number?.integer ?? 0)
          return "\(count)"
        },
        .init(words("device.sent")) { page.moments.html($0["last_push_at"]) },
        .init(words("device.got")) { page.moments.html($0["last_pull_at"]) },
        .init(words("people.state")) { item in
          item["revoked_at"]?.string == nil
            ? Pill.html(words("people.active"), .done) : Pill.html(words("device.revoked"), .failed)
        },
        .init(words("people.actions"), isUnseen: true) { item in
          let mayRevoke = item["user_id"]?.string == own || page.frame.may("member.update")
          guard mayRevoke, item["revoked_at"]?.string == nil, let id = item["id"]?.string else {
            return .none
          }
          return ActionButton.html(
            page.place("devices", id, "revoke"),
            words("device.revoke"),
            of: item["name"]?.string ?? "",
            isDanger: true
          )
        },
      ],
      items: devices,
      empty: "<p>\(words("device.none"))</p>"
    )
    let decisions: HTML =
      waiting.isEmpty
      ? (devices.isEmpty ? .none : Notice.bar(words("device.clear"), "good"))
      : "<h2>\(words("device.conflicts"))</h2>\(waiting)"
    return page.html(
      "devices",
      fault: fault,
      "<p class=\"quiet\">\(words("device.text"))</p>\(decisions)<h2>\(words("device.all"))</h2>\(table.html)"
    )
  }

  /// Returns a change that waits, beside what the office has, with the decisions.
  ///
  /// - Parameter place: of the change on the page, from 1.
  private func conflict(
    _ item: JSONObject,
    of device: JSONObject,
    at place: Int,
    _ visit: Visit,
    _ page: SettingsPage
  )
    async throws -> HTML
  {
    let words = page.words
    let name = item["type"]?.string ?? ""
    let id = item["id"]?.string ?? ""
    guard let type = page.frame.types.first(where: { $0.name == name }) else { return .none }
    let record = try? await inner.send(.get, Visit.path(of: name, id), for: visit.request).object
    let value = ValueText(visit, page.frame, type, .none)
    let mutation = item["mutation"]?.object ?? [:]
    let rows = (mutation["fields"]?.object ?? [:]).members.map { column, mine -> HTML in
      """
      <tr><th scope="row">\(value.terms.column(column))</th><td>\(own: value.text(column, mine))</td><td>\(own: value.text(column, record?[column] ?? .null))</td></tr>
      """
    }
    // Of several changes that wait, each table has a name of its own.
    let label = "\(words("device.conflict")): \(place)"
    let table: HTML =
      rows.isEmpty
      ? .none
      : """
      <div class="scroll" role="region" aria-label="\(label)" tabindex="0"><table class="list stale"><thead><tr><th scope="col">\(words("stale.field"))</th><th scope="col">\(words("device.phone"))</th><th scope="col">\(words("device.office"))</th></tr></thead><tbody>\(rows)</tbody></table></div>
      """
    let transition = mutation["transition"]?.string.map { value.terms.transition($0) }
    let verb = item["op"]?.string ?? ""
    let what = transition ?? words.known("device.op.\(verb)") ?? verb
    let code = item["code"]?.string.flatMap(ErrorCode.init(rawValue:))
    let why: HTML = code.map { "<p>\(ErrorWords.text(DomainError($0, $0.title), words))</p>" } ?? .none
    let isConflict = item["status"]?.string == "conflict"
    let verbs =
      (isConflict ? ["mine", "server"] + (rows.count > 1 ? ["merge"] : []) : ["retry", "discard"])
    let mayDecide =
      device["user_id"]?.string == visit.acting.user?.text || page.frame.may("member.update")
    let buttons = verbs.map { decision in
      ActionButton.html(
        page.place("devices", item["device_id"]?.string ?? "", "items", "\(item["no"]?.number?.integer ?? 0)")
          .below(decision),
        words("device.take.\(decision)"),
        of: id
      )
    }
    let title = record.map { value.name($0) } ?? value.terms.label
    return """
      <section class="card"><h3><a href="\(link: visit.place(of: type, id))">\(own: title)</a> · \(what)</h3>
      <p class="facts"><span>\(own: device["user"]?.string ?? "")</span><span>\(own: device["name"]?.string ?? "")</span><span>\(page.moments.html(item["first_at"]))</span></p>\(why)\(table)
      \(mayDecide ? "<div class=\"buttons\">\(buttons)</div>" : .none)</section>
      """
  }

  private func revokeDevice(_ visit: Visit) async throws -> APIAnswer {
    let id = try visit.request.parameter("device")
    return try await change(
      visit,
      to: visit.place("settings", "devices"),
      again: { try await devices(visit, fault: $0) }
    ) { _ = try await inner.send(.delete, ["v1", "sync", "devices", id], for: visit.request) }
  }

  private func decide(_ visit: Visit) async throws -> APIAnswer {
    let request = visit.request
    let verb = try request.parameter("verb")
    let path = ["v1", "sync", "items", try request.parameter("device"), try request.parameter("no")]
    guard ["mine", "server", "merge", "discard", "retry"].contains(verb) else { throw DomainError(.notFound) }
    return try await change(
      visit,
      to: visit.place("settings", "devices"),
      again: { try await devices(visit, fault: $0) }
    ) {
      if verb == "retry" {
        _ = try await inner.send(.post, path + ["retry"], for: request)
      } else {
        _ = try await inner.send(.post, path + ["resolve"], json: ["take": .string(verb)], for: request)
      }
    }
  }
}
