internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// What was deleted: a list for each type, a page for each record, and the way back.
extension Console {
  var deletedRoutes: [Route] {
    let one = "/{app}/{type}/{id}"
    return [
      inside(.get, "/{app}/{type}/deleted", deletedRecords(_:)),
      inside(.post, "\(one)/restore", restore(_:)),
      inside(.post, "\(one)/files/{file}/remove", removeFile(_:)),
    ]
  }

  private func deletedRecords(_ visit: Visit) async throws -> APIAnswer {
    var query = RecordQuery()
    query.deleted = true
    query.limit = ListQuery.length
    query.after = visit.request.asked("after")
    let screen = try await screens.list(visit.acting, type: try visit.typeName(), query)
    let (type, value) = (screen.type, ValueText(visit, screen.frame, screen.type, screen.names))
    let (words, moments) = (value.terms.words, Moments(screen.frame))
    let table = ItemTable(
      label: words("deleted.list"),
      columns: [
        .init(value.terms.label) { record in
          let place = visit.place(of: type, record["id"]?.string ?? "")
          let title: HTML =
            value.title(record).map { " <span>\(own: String($0.prefix(120)))</span>" } ?? .none
          return "<a href=\"\(link: place)\">\(own: value.name(record))</a>\(title)"
        },
        .init(words("deleted.at")) { moments.html($0["deleted_at"]) },
      ],
      items: screen.records,
      empty: "<p>\(words("deleted.none"))</p>"
    )
    let next = screen.next.map { visit.place(of: type, "deleted", query: [("after", $0)]) }
    let html = Layout.page(
      visit,
      screen.frame,
      title: words("deleted.list"),
      at: type.name,
      """
      <p class="crumb"><a href="\(link: visit.place(of: type))">\(value.terms.plural)</a></p>
      <h1>\(words("deleted.list")): \(value.terms.innerPlural)</h1>
      \(table.html)\(Pager.next(next, words))
      """
    )
    return .page(html, for: visit.request)
  }

  /// Returns the page of a deleted record for those who may restore it.
  ///
  /// - Parameter error: what is thrown if there is none either.
  func deleted(_ visit: Visit, before: Int64? = nil, or error: DomainError) async throws -> APIAnswer {
    .page(try await deletedPage(visit, before: before, or: error).html, for: visit.request)
  }

  private func deletedPage(_ visit: Visit, before: Int64? = nil, or error: DomainError) async throws
    -> DeletedPage
  {
    do {
      let screen = try await screens.record(
        visit.acting,
        type: try visit.typeName(),
        try visit.recordName(),
        before: before,
        deleted: true
      )
      return DeletedPage(visit: visit, screen: screen, key: newKey())
    } catch let other as DomainError where other.code == .notFound {
      throw error
    }
  }

  private func restore(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    let (name, id) = (try visit.typeName(), try visit.recordName())
    do {
      _ = try await inner.send(
        .post,
        Visit.path(of: name, id, "restore"),
        json: [:],
        key: form["key"],
        tag: form["version"].map { "\"\($0)\"" },
        for: visit.request
      )
    } catch let error as DomainError where error.isAboutInput && error.code != .notFound {
      var page = try await deletedPage(visit, or: error)
      let terms = TypeWords(page.screen.type, Words.of(page.screen.frame.language))
      page.fault = ErrorWords.text(error, terms, Moments(page.screen.frame))
      return .page(page.html, status: Problem.answer(error, request: visit.request.id).status)
    }
    return .see(visit.place(of: try await type(name), id))
  }

  private func removeFile(_ visit: Visit) async throws -> APIAnswer {
    let file = try visit.request.parameter("file")
    _ = try await inner.send(.delete, ["v1", "files", file], for: visit.request)
    let type = try await type(try visit.typeName())
    return .see(visit.place(of: type, try visit.recordName(), fragment: "files"))
  }
}

/// A deleted record: what it was, what has happened to it, and the button that restores it.
struct DeletedPage {
  let visit: Visit
  let screen: RecordScreen
  let key: String
  /// Why it was not restored.
  var fault: String?

  var html: HTML {
    let (type, value) = (screen.type, ValueText(visit, screen.frame, screen.type, screen.names))
    let (terms, words) = (value.terms, value.terms.words)
    let name = value.name(screen.record)
    let title: HTML = value.title(screen.record).map { "<p class=\"title\">\(own: $0)</p>" } ?? .none
    let mayRestore = screen.record["allowed"]?.array?.contains("restore") == true
    let button: HTML =
      mayRestore
      ? ActionButton.html(
        visit.place(of: type, screen.record["id"]?.string ?? "", "restore"),
        words("deleted.restore"),
        of: name,
        key: key,
        fields: [("version", screen.frame.tag(screen.record))]
      ) : .none
    return Layout.page(
      visit,
      screen.frame,
      title: "\(terms.label) \(name)",
      at: type.name,
      """
      <p class="crumb"><a href="\(link: visit.place(of: type, "deleted"))">\(words("deleted.list"))</a></p>
      <div class="head"><h1><span class="kind">\(terms.label)</span> \(own: name) \(Pill.html(words("deleted.at"), .open))</h1>
      <div class="actions">\(button)</div></div>
      \(title)\(fault.map { Notice.bar($0, "bad") } ?? .none)
      <p>\(words(mayRestore ? "deleted.text" : "deleted.orphan"))</p>
      <div class="two">
      <section class="first card" aria-labelledby="details"><h2 id="details">\(words("record.details"))</h2>
      <dl>\(RecordPage(visit, screen, key: key).facts)</dl></section>
      <section class="second" aria-labelledby="story"><h2 id="story">\(words("record.story"))</h2>
      \(Timeline(visit, screen, value).html)</section>
      </div>
      """
    )
  }
}
