internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The roles of a company: what each may do, and roles of the company's own.
extension Console {
  var roleRoutes: [Route] {
    [
      inside(.get, "/settings/roles") { .page(try await roles($0), for: $0.request) },
      inside(.post, "/settings/roles", addRole(_:)),
      inside(.get, "/settings/roles/{role}") { .page(try await role($0), for: $0.request) },
      inside(.post, "/settings/roles/{role}", changeRights(_:)),
      inside(.post, "/settings/roles/{role}/delete", deleteRole(_:)),
    ]
  }

  private func matrix(_ visit: Visit, _ page: SettingsPage) async throws -> RoleMatrix {
    let (permissions, _) = try await items(["v1", "roles", "permissions"], visit)
    return RoleMatrix(page.frame, permissions: permissions)
  }

  private func roles(_ visit: Visit, _ form: FormBody? = nil, _ fault: DomainError? = nil) async throws
    -> HTML
  {
    let page = SettingsPage(visit, try await screens.frame(visit.acting))
    let words = page.words
    let (roles, _) = try await items(["v1", "roles"], visit)
    let matrix = try await matrix(visit, page)
    let table = ItemTable(
      label: words("settings.roles"),
      columns: [
        .init(words("people.role")) { item in
          "<a href=\"\(link: page.place("roles", item["role"]?.string ?? ""))\">\(own: Self.label(item, words))</a>"
        },
        .init(words("rights.members"), isNumber: true) { "\($0["members"]?.number?.integer ?? 0)" },
        .init(words("rights.kind")) {
          "\(words($0["built_in"]?.bool == true ? "rights.built" : "rights.own"))"
        },
      ],
      items: roles,
      empty: .none
    )
    let columns = roles.map {
      (name: $0["role"]?.string ?? "", label: Self.label($0, words), permissions: Self.permissions($0))
    }
    return page.html(
      "roles",
      fault: fault,
      """
      \(table.html)
      \(page.frame.may("role.create") ? addForm(page, roles, form) : .none)
      <h2>\(words("rights.matrix"))</h2><p class="quiet">\(words("rights.matrix.text"))</p>\(matrix.html(columns))
      """
    )
  }

  private func addForm(_ page: SettingsPage, _ roles: [JSONObject], _ form: FormBody?) -> HTML {
    let words = page.words
    let options = roles.filter { $0["role"]?.string != "owner" }.map { role in
      let name = role["role"]?.string ?? ""
      return Select.option(name, Self.label(role, words), isChosen: name == (form?["from"] ?? "user"))
    }
    return """
      <details class="card"\(flag: "open", if: form != nil)><summary>\(words("rights.add"))</summary><form class="form" method="post" action="\(link: page.place("roles"))">\(hidden("key", newKey()))
      <div class="field"><label for="label">\(words("rights.label"))</label><input id="label" name="label" maxlength="200" required value="\(form?["label"] ?? "")"></div>
      <div class="field"><label for="role">\(words("rights.name"))</label><p class="hint" id="role-hint">\(words("rights.name.hint"))</p><input id="role" name="role" maxlength="63" required pattern="[a-z][a-z0-9_-]*" aria-describedby="role-hint" value="\(form?["role"] ?? "")"></div>
      <div class="field"><label for="from">\(words("rights.from"))</label><select id="from" name="from">\(options)</select></div>
      <div class="buttons"><button class="button primary" type="submit">\(words("rights.add"))</button></div></form></details>
      """
  }

  private func addRole(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    let name = form.text("role") ?? ""
    return try await change(
      visit,
      to: visit.place("settings", "roles", name),
      again: { try await roles(visit, form, $0) }
    ) {
      var body: JSONObject = ["role": .string(name), "label": .string(form.text("label") ?? "")]
      if let from = form.text("from") { body["from"] = .string(from) }
      _ = try await inner.send(.post, ["v1", "roles"], json: body, key: form["key"], for: visit.request)
    }
  }

  private func role(_ visit: Visit, _ fault: DomainError? = nil) async throws -> HTML {
    let page = SettingsPage(visit, try await screens.frame(visit.acting))
    let (words, name) = (page.words, try visit.request.parameter("role"))
    let role = try await inner.send(.get, ["v1", "roles", name], for: visit.request).object
    let matrix = try await matrix(visit, page)
    let permissions = Self.permissions(role)
    let isBuiltIn = role["built_in"]?.bool == true
    var content: HTML = "<p class=\"quiet\">\(words(isBuiltIn ? "rights.built.text" : "rights.own.text"))</p>"
    if !isBuiltIn, page.frame.may("role.update") {
      content =
        content + """
          <form class="form" method="post" action="\(link: page.place("roles", name))">
          <div class="field"><label for="label">\(words("rights.label"))</label><input id="label" name="label" maxlength="200" required value="\(role["label"]?.string ?? "")"></div>
          \(matrix.fields(permissions))
          <div class="buttons"><button class="button primary" type="submit">\(words("form.save"))</button></div></form>
          """
    } else {
      content =
        content + matrix.html([(name: name, label: Self.label(role, words), permissions: permissions)])
    }
    let delete: HTML =
      !isBuiltIn && page.frame.may("role.delete")
      ? ActionButton.html(page.place("roles", name, "delete"), words("rights.delete"), isDanger: true) : .none
    return page.html(
      "roles",
      title: Self.label(role, words),
      actions: delete,
      fault: fault,
      "<p class=\"crumb\"><a href=\"\(link: page.place("roles"))\">\(words("settings.roles"))</a></p>\(content)"
    )
  }

  private func changeRights(_ visit: Visit) async throws -> APIAnswer {
    let (form, name) = (try visit.form(), try visit.request.parameter("role"))
    return try await change(
      visit,
      to: visit.place("settings", "roles", name),
      again: { try await role(visit, $0) }
    ) {
      let given = form.below("p.").compactMap { right, reach in
        RoleMatrix.permission(right, RoleMatrix.Reach(rawValue: reach) ?? .none)
      }
      let body: JSONObject = ["label": .string(form.text("label") ?? ""), "permissions": .strings(given)]
      _ = try await inner.send(.patch, ["v1", "roles", name], json: body, for: visit.request)
    }
  }

  private func deleteRole(_ visit: Visit) async throws -> APIAnswer {
    let name = try visit.request.parameter("role")
    return try await change(
      visit,
      to: visit.place("settings", "roles"),
      again: { try await role(visit, $0) }
    ) { _ = try await inner.send(.delete, ["v1", "roles", name], for: visit.request) }
  }

  private static func label(_ role: JSONObject, _ words: Words) -> String {
    let name = role["role"]?.string ?? ""
    return words.known("role.\(name)") ?? role["label"]?.string ?? name
  }

  private static func permissions(_ role: JSONObject) -> Set<String> {
    Set(role["permissions"]?.array?.compactMap(\.string) ?? [])
  }
}
