internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The pages around the records: today, search, notices, one's own settings.
extension Console {
  var homeRoutes: [Route] {
    [
      inside(.get, "") { try await home($0) }, inside(.get, "/search", search(_:)),
      inside(.get, "/inbox", inbox(_:)),
      inside(.post, "/inbox", readAll(_:)), inside(.get, "/me", me(_:)), inside(.post, "/me", change(_:)),
    ]
  }

  /// - Parameter refused: the form of a card in which something is wrong; nil for none.
  func home(_ visit: Visit, refused: CardRefusal? = nil) async throws -> APIAnswer {
    let user = visit.acting.user
    let screen = try await screens.lists(visit.acting) { frame in
      try HomePart.all(frame, user: user).map { part in (part.type, try part.query(try frame.type(part.type)))
      }
    }
    let parts = HomePart.all(screen.frame, user: user)
    let cards = await cards(visit, screen.frame, key: newKey(), refused)
    // Work that has ended is on none of the lists.
    let isNew = screen.lists.allSatisfy { $0.count == 0 }
    let mayBeNew = isNew ? try await hasNothing(visit) : false
    let page = HomePage(visit: visit, screen: screen, parts: parts, cards: cards, isNew: mayBeNew)
    guard let refused else { return .page(page.html, for: visit.request) }
    return .page(page.html, status: status(of: refused.error, visit))
  }

  private func hasNothing(_ visit: Visit) async throws -> Bool {
    let main = try await screens.lists(visit.acting) { frame in
      frame.types.filter { ["maintenance.machine", "maintenance.entry"].contains($0.name) }.map { type in
        var query = RecordQuery()
        query.limit = 1
        return (type.name, query)
      }
    }
    return main.lists.allSatisfy { $0.count == 0 }
  }

  /// The records of a type that a search shows.
  private static let mostFound = 8

  private func search(_ visit: Visit) async throws -> APIAnswer {
    let text = visit.request.asked("q").map { String($0.prefix(QueryReader.longestSearch)) }
    if let place = try await numbered(text, visit) { return .see(place) }
    let screen = try await screens.lists(visit.acting) { frame in
      guard let text else { return [] }
      return frame.types.filter { !$0.definition.search.isEmpty }.map { type in
        var query = RecordQuery()
        query.search = text
        query.limit = Self.mostFound
        return (type.name, query)
      }
    }
    let words = Words.of(screen.frame.language)
    let found = screen.lists.filter { $0.count > 0 }
    let sections = found.map { list -> HTML in
      let value = ValueText(visit, screen.frame, list.type, list.names)
      let rows = list.records.map { record -> HTML in
        let title: HTML = value.title(record).map { " <span>\(own: String($0.prefix(160)))</span>" } ?? .none
        let status: HTML = record["status"]?.string.map { value.pill($0) } ?? .none
        return """
          <li><a href="\(link: visit.place(of: list.type, record["id"]?.string ?? ""))"><strong>\(own: value.name(record))</strong>\(title)</a> \(status)</li>
          """
      }
      let all: HTML =
        list.count > rows.count
        ? "<p><a href=\"\(link: visit.place(of: list.type, query: [("q", text ?? "")]))\">\(words("record.all", "\(list.count)"))</a></p>"
        : .none
      return """
        <section class="card"><h2>\(value.terms.plural)</h2><ul class="rows">\(rows)</ul>\(all)</section>
        """
    }
    let nothing: HTML =
      found.isEmpty && text != nil
      ? "<div class=\"empty\"><p>\(words("search.none", text ?? ""))</p></div>" : .none
    let html = Layout.page(
      visit,
      screen.frame,
      title: words("shell.search"),
      "<h1>\(text.map { words("search.title", $0) } ?? words("shell.search"))</h1>\(sections)\(nothing)"
    )
    return .page(html, for: visit.request)
  }

  /// Returns the page of the record with exactly this number, such as `WO-1007`; nil for another text, which is searched.
  private func numbered(_ text: String?, _ visit: Visit) async throws -> Place? {
    guard let text = text?.filter({ !$0.isWhitespace }).uppercased(),
      text.wholeMatch(of: /[A-Z]+-[0-9]{1,18}/) != nil
    else { return nil }
    for type in try await screens.frame(visit.acting).types where type.definition.number != nil {
      let path = Visit.path(of: type.name, text)
      guard let found = try? await inner.send(.get, path, for: visit.request).object["id"]?.string else {
        continue
      }
      return visit.place(of: type, found)
    }
    return nil
  }

  private func inbox(_ visit: Visit) async throws -> APIAnswer {
    let frame = try await screens.frame(visit.acting)
    let words = Words.of(frame.language)
    var query = [(name: "lang", value: frame.language.rawValue)]
    if let after = visit.request.asked("after") { query.append(("after", after)) }
    let answer = try await inner.send(.get, ["v1", "me", "inbox"], query: query, for: visit.request).object
    let moments = Moments(frame)
    let rows = (answer["items"]?.array?.compactMap(\.object) ?? []).map { item -> HTML in
      let title = item["title"]?.string ?? ""
      let body: HTML = item["body"]?.string.map { "<p>\(own: $0)</p>" } ?? .none
      let type = item["record_type"]?.string.flatMap { name in frame.types.first { $0.name == name } }
      let head: HTML =
        type.flatMap { type in
          item["record_id"]?.string.map { "<a href=\"\(link: visit.place(of: type, $0))\">\(own: title)</a>" }
        } ?? "\(own: title)"
      let fresh: HTML =
        item["state"]?.string == "sent" ? "<span class=\"badge\">\(words("inbox.new"))</span>" : .none
      return
        "<li><strong>\(head)</strong> \(fresh)\(body)<p class=\"quiet\">\(moments.html(item["at"]))</p></li>"
    }
    let next = answer["next"]?.string.map { visit.place("inbox", query: [("after", $0)]) }
    let list: HTML =
      rows.isEmpty
      ? "<div class=\"empty\"><p>\(words("inbox.empty"))</p></div>"
      : """
      <form method="post" action="\(link: visit.place("inbox"))"><button class="button" type="submit">\(words("inbox.read"))</button></form><ul class="rows">\(rows)</ul>
      """
    let heading: HTML = "<h1>\(words("shell.notices"))</h1>"
    return .page(
      Layout.page(visit, frame, title: words("shell.notices"), "\(heading)\(list)\(Pager.next(next, words))"),
      for: visit.request
    )
  }

  private func readAll(_ visit: Visit) async throws -> APIAnswer {
    _ = try await inner.send(.post, ["v1", "me", "inbox", "read"], json: [:], for: visit.request)
    return .see(visit.place("inbox"))
  }

  private func me(_ visit: Visit) async throws -> APIAnswer {
    let frame = try await screens.frame(visit.acting)
    let words = Words.of(frame.language)
    let all = try await companies.list(visit.acting)
    let others = all.filter { $0.id != visit.company.id }.map { row -> HTML in
      """
      <li><form method="post" action="\(link: Place(["switch"]))">\(hidden("company", row.slug))<button class="button" type="submit">\(own: row.name)</button></form></li>
      """
    }
    let languages = [("en", "English"), ("sv", "Svenska")].map { code, name in
      Select.option(code, name, isChosen: code == frame.language.rawValue)
    }
    let look = visit.request.look("fettle-look") ?? ""
    let looks = [("", "me.look.system"), ("light", "me.look.light"), ("dark", "me.look.dark")].map {
      code,
      key in
      Select.option(code, words(key), isChosen: code == look)
    }
    let switches: HTML =
      others.isEmpty
      ? .none
      : "<section class=\"card\"><h2>\(words("me.companies"))</h2><ul class=\"plain\">\(others)</ul></section>"
    let account = try await inner.send(.get, ["v1", "me"], for: visit.request).object
    let email = account["email"]?.string
    let open: HTML =
      email == nil || account["email_verified_at"] != nil
      ? .none : " <a href=\"\(link: Place(["verify"]))\">\(words("verify.open"))</a>"
    let html: HTML = """
      <h1>\(words("me.title"))</h1>
      <section class="card"><h2>\(own: frame.person ?? words("shell.you"))</h2>
      <p>\(words("me.role", frame.role.map { words.known("role.\($0)") ?? $0 } ?? "", frame.company.name))</p>
      <p>\(email ?? "")\(open)</p>
      <form class="form" method="post" action="\(link: visit.place("me"))">
      <div class="field"><label for="language">\(words("me.language"))</label><select id="language" name="language">\(languages)</select></div>
      <div class="field"><label for="look">\(words("me.look"))</label><select id="look" name="look">\(looks)</select></div>
      <div class="buttons"><button class="button primary" type="submit">\(words("form.save"))</button></div></form></section>
      <section class="card"><h2>\(words("safety.title"))</h2><p>\(words("safety.text"))</p><p><a class="button" href="\(link: visit.place("me", "safety"))">\(words("safety.open"))</a></p></section>
      <section class="card"><h2>\(words("grant.title"))</h2><p>\(words("grant.me"))</p><p><a class="button" href="\(link: visit.place("me", "sharing"))">\(words("grant.title"))</a></p></section>
      \(switches)
      <p><a href="\(link: Place(["join"]))">\(words("join.title"))</a></p>
      \(Self.keys(words))
      <form method="post" action="\(link: Place(["sign-out"]))"><button class="button" type="submit">\(words("me.out"))</button></form>
      """
    return .page(Layout.page(visit, frame, title: words("me.title"), at: "me", html), for: visit.request)
  }

  /// The keys that pages with scripts know.
  private static func keys(_ words: Words) -> HTML {
    let keys = [
      ("/", "search"), ("g t", "g"), ("n", "n"), ("e", "e"), ("c", "c"), ("j k", "j"), ("x", "x"),
      ("Ctrl Enter", "enter"),
    ]
    let rows = keys.map { key, name -> HTML in
      "<div><dt><kbd>\(key)</kbd></dt><dd>\(words("keys.\(name)"))</dd></div>"
    }
    return "<section class=\"card keyboard\"><h2>\(words("keys.title"))</h2><dl>\(rows)</dl></section>"
  }

  private func change(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    if let language = form.text("language") {
      _ = try await inner.send(
        .patch,
        ["v1", "me", "preferences"],
        json: ["language": .string(language)],
        for: visit.request
      )
    }
    var answer = APIAnswer.see(visit.place("me"))
    let look = form["look"] ?? ""
    if ["", "light", "dark"].contains(look) {
      let life = look.isEmpty ? 0 : 31_536_000
      answer.headers.add("set-cookie", "fettle-look=\(look); Path=/; Max-Age=\(life); SameSite=Lax")
    }
    return answer
  }
}
