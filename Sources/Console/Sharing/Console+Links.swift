internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// Links that show one record to people without an account.
extension Console {
  var linkRoutes: [Route] {
    let one = "/{app}/{type}/{id}/links"
    return [
      open(.get, "/s/{link}", shared(_:)),
      inside(.get, one) { .page(try await links($0), for: $0.request) },
      inside(.post, one, makeLink(_:)), inside(.post, "\(one)/{link}", endLink(_:)),
    ]
  }

  private var recordLinks: RecordLinks { RecordLinks(services, records) }

  private func links(_ visit: Visit, made: String? = nil, fault: DomainError? = nil, days: String? = nil)
    async throws -> HTML
  {
    let screen = try await screens.record(
      visit.acting,
      type: try visit.typeName(),
      try visit.recordName(),
      isWhole: false
    )
    let (type, frame) = (screen.type, screen.frame)
    let (words, moments) = (Words.of(frame.language), Moments(frame))
    guard let id = screen.record["id"]?.string.flatMap({ UUID(text: $0) }) else {
      throw DomainError(.notFound)
    }
    let rows = try await recordLinks.list(visit.acting, type: type.name, record: id)
    let now = frame.now
    let items = rows.map { row -> JSONObject in
      [
        "id": .string(row.id.text), "maker": .string(row.maker), "at": .string(row.createdAt.rfc3339),
        "until": .string(row.expiresAt.rfc3339),
        "state": .string(row.revokedAt != nil ? "ended" : row.expiresAt <= now ? "expired" : "open"),
      ]
    }
    let place = visit.place(of: type, id.text, "links")
    let table = ItemTable(
      label: words("link.title"),
      columns: [
        .init(words("link.made")) { moments.html($0["at"]) }, .init(words("audit.who"), text: "maker"),
        .init(words("link.until")) { moments.html($0["until"]) },
        .init(words("people.state")) { item in
          let state = item["state"]?.string ?? ""
          return Pill.html(words("link.\(state)"), state == "open" ? .done : .open)
        },
        .init(words("people.actions"), isUnseen: true) { item in
          guard item["state"]?.string == "open" else { return .none }
          return ActionButton.html(
            place.below(item["id"]?.string ?? ""),
            words("link.end"),
            of: item["at"]?.string ?? "",
            isDanger: true
          )
        },
      ],
      items: items,
      empty: "<p>\(words("link.none"))</p>"
    )
    let value = ValueText(visit, frame, type, screen.names)
    let name = value.name(screen.record)
    let shown: HTML =
      made.map { text -> HTML in
        let address = visit.request.origin + Place(["s", text]).text
        let picture = QRCode.picture(address, label: words("link.qr")) ?? .none
        return """
          <section class="card"><h2>\(words("link.new"))</h2><p>\(words("link.new.text"))</p><p class="code"><a href="\(address)">\(address)</a></p>\(picture)</section>
          """
      } ?? .none
    return Layout.page(
      visit,
      frame,
      title: words("link.title"),
      at: type.name,
      """
      <p class="crumb"><a href="\(link: visit.place(of: type, id.text))">\(own: name)</a></p><h1>\(words("link.of", name))</h1>
      \(fault.map { AccountPages.summary(ErrorWords.text($0, words), words) } ?? .none)\(shown)<p class="lead">\(words("link.text"))</p>
      <form class="form" method="post" action="\(link: place)">
      <div class="field"><label for="days">\(words("people.days"))</label><input id="days" name="days" class="short" inputmode="numeric" value="\(days ?? "14")"></div>
      <div class="buttons"><button class="button primary" type="submit">\(words("link.make"))</button></div></form>
      <h2>\(words("link.all"))</h2>\(table.html)
      """
    )
  }

  private func record(_ visit: Visit) async throws -> (type: String, id: UUID) {
    let screen = try await screens.record(
      visit.acting,
      type: try visit.typeName(),
      try visit.recordName(),
      isWhole: false
    )
    guard let id = screen.record["id"]?.string.flatMap({ UUID(text: $0) }) else {
      throw DomainError(.notFound)
    }
    return (screen.type.name, id)
  }

  private func makeLink(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    do {
      let (type, id) = try await record(visit)
      let days = try form.whole("days") ?? 0
      let text = try await recordLinks.make(visit.acting, type: type, record: id, days: days)
      // The link is shown here only, so the page is not left by a redirection.
      return .page(try await links(visit, made: text), status: 201)
    } catch let error as DomainError
      where error.isAboutInput && ![.notFound, .forbidden].contains(error.code)
    {
      return .page(try await links(visit, fault: error, days: form["days"]), status: 422)
    }
  }

  private func endLink(_ visit: Visit) async throws -> APIAnswer {
    guard let link = UUID(text: try visit.request.parameter("link")) else { throw DomainError(.notFound) }
    let (type, id) = try await record(visit)
    try await recordLinks.revoke(visit.acting, type: type, record: id, link: link)
    let halves = type.split(separator: ".").map(String.init)
    return .see(Place(["c", visit.company.slug] + halves + [id.text, "links"]))
  }

  /// The record of a link, for people without an account.
  private func shared(_ request: APIRequest) async throws -> APIAnswer {
    let opened = try await recordLinks.open(try request.parameter("link"))
    let screen = try await screens.record(opened.acting, type: opened.type, opened.record.text)
    let bearer = request.sent(
      by: Caller(kind: .token, acting: opened.acting, user: opened.acting.user ?? opened.record)
    )
    let visit = Visit(bearer, opened.acting, isStranger: true)
    let value = ValueText(visit, screen.frame, screen.type, screen.names)
    var pictures: [HTML] = []
    for file in screen.files.prefix(24) where file.state == .ready {
      let link = try? await inner.send(.post, ["v1", "files", file.id.text, "link"], json: [:], for: bearer)
        .object
      guard let address = link?["url"]?.string.flatMap(Self.path) else { continue }
      let small = try? await inner.send(
        .post,
        ["v1", "files", file.id.text, "link"],
        json: ["variant": "thumbnail"],
        for: bearer
      ).object
      let image: HTML =
        small?["url"]?.string.flatMap(Self.path).map {
          "<img src=\"\(link: $0)\" alt=\"\" width=\"120\" height=\"90\">"
        } ?? "<span class=\"no-picture\">\(Icon.file)</span>"
      pictures.append("<li><a href=\"\(link: address)\">\(image)<span>\(own: file.name)</span></a></li>")
    }
    let words = Words.of(screen.frame.language)
    let name = value.name(screen.record)
    let status: HTML = screen.record["status"]?.string.map { value.pill($0) } ?? .none
    let title: HTML = value.title(screen.record).map { "<p class=\"title\">\(own: $0)</p>" } ?? .none
    let files: HTML =
      pictures.isEmpty
      ? .none
      : "<section class=\"card\"><h2>\(words("files.title"))</h2><ul class=\"files\">\(pictures)</ul></section>"
    let facts = RecordPage(visit, screen, key: "").facts
    let html = Layout.outside(
      request,
      words,
      title: name,
      """
      <p class="quiet">\(words("link.shared", screen.frame.company.name))</p>
      <h1><span class="kind">\(value.terms.label)</span> \(own: name) \(status)</h1>\(title)
      <section class="card shared"><dl>\(facts)</dl></section>\(files)
      <p class="quiet">\(words("link.ends", Moments(screen.frame).text(opened.expiresAt.rfc3339)))</p>
      """
    )
    var answer = APIAnswer.page(html)
    // The address is the secret.
    answer.headers["referrer-policy"] = "no-referrer"
    answer.headers["cache-control"] = "no-store"
    return answer
  }

  /// Returns the place of an address of this server.
  private static func path(_ address: String) -> Place? {
    address.split(separator: "/").last.map { Place(["v1", "links", String($0)]) }
  }
}
