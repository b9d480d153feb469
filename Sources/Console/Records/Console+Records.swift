internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import SystemPackage
internal import Web

/// The pages of records of every type.
extension Console {
  var recordRoutes: [Route] {
    let list = "/{app}/{type}"
    let one = "/{app}/{type}/{id}"
    return [
      inside(.get, list, list(_:)), inside(.get, "\(list)/new", create(_:)),
      inside(.post, "\(list)/new", save(_:)),
      inside(.get, "\(list)/options", options(_:)),
      inside(.get, "\(list)/board", board(_:)), inside(.post, "\(list)/bulk", bulk(_:)),
      inside(.get, one, show(_:)), inside(.get, "\(one)/edit", create(_:)),
      inside(.post, "\(one)/edit", save(_:)),
      inside(.get, "\(one)/do/{transition}", ask(_:)), inside(.post, "\(one)/do/{transition}", act(_:)),
      inside(.get, "\(one)/delete", askDeletion(_:)), inside(.post, "\(one)/delete", delete(_:)),
      inside(.post, "\(one)/comments", say(_:)),
      inside(
        .post,
        "\(one)/files",
        body: .stream(maximumBytes: AttachmentRule.largestFile + Multipart.mostOverhead),
        addFile(_:)
      ),
    ]
  }

  private func list(_ visit: Visit) async throws -> APIAnswer {
    try await list(visit, ListQuery(visit.request, try await type(try visit.typeName())))
  }

  /// Returns a list, also as the answer to one of its forms in which something is wrong.
  ///
  /// - Parameter change: puts into the page what the person wrote, and what is wrong with it.
  func list(
    _ visit: Visit,
    _ query: ListQuery,
    refusal: DomainError? = nil,
    _ change: (inout ListPage, String) -> Void = { _, _ in }
  ) async throws -> APIAnswer {
    let (asked, unknown) = try await query.query(records, visit.acting)
    let screen = try await screens.list(visit.acting, type: query.type.name, asked)
    let terms = TypeWords(screen.type, Words.of(screen.frame.language))
    var page = ListPage(visit, screen, query)
    page.fault = unknown.map { ErrorWords.text($0, terms, Moments(screen.frame)) }
    if let refusal { change(&page, ErrorWords.text(refusal, terms, Moments(screen.frame))) }
    if let refusal { return .page(page.html, status: status(of: refusal, visit)) }
    return unknown == nil ? .page(page.html, for: visit.request) : .page(page.html, status: 422)
  }

  /// Returns the status of a page that shows a form again.
  func status(of error: DomainError, _ visit: Visit) -> Int {
    Problem.answer(error, request: visit.request.id).status
  }

  /// The names of the records that a column can refer to and that match what is being written, for the script of a form.
  private func options(_ visit: Visit) async throws -> APIAnswer {
    let found = try await screens.options(
      visit.acting,
      type: try visit.typeName(),
      column: visit.request.asked("column") ?? "",
      matching: visit.request.asked("search") ?? ""
    )
    return .json(["names": .array(found.first.map { .string($0.name) }), "more": .bool(found.hasMore)])
  }

  /// Returns a type that is installed.
  ///
  /// - Throws: `not_found`.
  func type(_ name: String) async throws -> RecordType {
    if let known = records.catalogue.types.first(where: { $0.name == name }) { return known }
    try await records.refresh()
    guard let type = records.catalogue.types.first(where: { $0.name == name }) else {
      throw DomainError(.notFound)
    }
    return type
  }

  private func show(_ visit: Visit) async throws -> APIAnswer {
    let before = visit.request.asked("before").flatMap { Int64($0) }
    do {
      let screen = try await screens.record(
        visit.acting,
        type: try visit.typeName(),
        try visit.recordName(),
        before: before
      )
      return .page(RecordPage(visit, screen, key: newKey()).html, for: visit.request)
    } catch let error as DomainError where error.code == .notFound && visit.grant == nil {
      return try await deleted(visit, before: before, or: error)
    }
  }

  /// Returns a new idempotency key for a form.
  func newKey() -> String { UUID().text }

  // MARK: Forms

  private func create(_ visit: Visit) async throws -> APIAnswer {
    let screen = try await screens.form(
      visit.acting,
      type: try visit.typeName(),
      visit.request.optional("id"),
      proposed: JSONObject(visit.request.query.map { ($0.name, .string($0.value)) })
    )
    return .page(FormPage(visit, screen, key: newKey()).html, for: visit.request)
  }

  private func save(_ visit: Visit) async throws -> APIAnswer {
    let (name, id) = (try visit.typeName(), visit.request.optional("id"))
    let form = try visit.form()
    let type = try await type(name)
    let texts = Dictionary(form.below(FieldPart.prefix)) { first, _ in first }
    let before = Dictionary(form.below("b.")) { first, _ in first }
    let proposed = JSONObject(texts.map { ($0.key, JSONValue.string($0.value)) })
    do {
      let frame = try await screens.frame(visit.acting)
      let values = FormValues(type, frame)
      // Of a record, only what the person changed is sent, so that others may change the rest meanwhile.
      let changed = texts.filter { id == nil ? !$0.value.isEmpty : before[$0.key] != $0.value }
      let fields = try await records.resolvingNames(
        in: try values.values(changed),
        type: name,
        visit.acting
      )
      guard !fields.isEmpty || id == nil else { return .see(visit.place(of: type, id ?? "")) }
      let answer = try await inner.send(
        id == nil ? .post : .patch,
        id.map { Visit.path(of: name, $0) } ?? Visit.path(of: name),
        json: fields,
        key: form["key"],
        tag: form["version"].map { "\"\($0)\"" },
        for: visit.request
      )
      // What is written on the page of another record leads back to it.
      let back = id == nil ? form["back"].flatMap { Place(returning: $0) } : nil
      return .see(back ?? visit.place(of: type, answer.object["id"]?.string ?? id ?? ""))
    } catch let error as DomainError where error.isAboutInput {
      let screen = try await screens.form(visit.acting, type: name, id, proposed: proposed)
      if error.code == .stale {
        let page = StalePage(visit: visit, screen: screen, mine: texts, before: before, key: newKey())
        return .page(page.html, status: 409)
      }
      return .page(page(visit, screen, texts, form, error).html, status: 422)
    }
  }

  /// Returns the form again with what the person wrote, and what is wrong with it.
  private func page(
    _ visit: Visit,
    _ screen: FormScreen,
    _ texts: [String: String],
    _ form: FormBody,
    _ error: DomainError
  ) -> FormPage {
    let moments = Moments(screen.frame)
    let terms = TypeWords(screen.type, moments.words)
    let error = FormValues(screen.type, screen.frame).quoting(texts, in: error)
    var page = FormPage(visit, screen, key: newKey())
    page.show(again: form)
    for field in ErrorWords.fields(error) {
      let column = screen.columns.first { $0 == field || $0 == "\(field)_id" }
      if let column { page.errors[column] = ErrorWords.text(error, field: field, terms, moments) }
    }
    if page.errors.isEmpty { page.fault = ErrorWords.text(error, terms, moments) }
    return page
  }

  // MARK: Actions on a record

  private func ask(_ visit: Visit) async throws -> APIAnswer {
    let (screen, transition) = try await transition(visit)
    return .page(TransitionForm(visit, screen, key: newKey()).html(transition), for: visit.request)
  }

  private func transition(_ visit: Visit) async throws -> (RecordScreen, WorkflowTransition) {
    let screen = try await screens.record(
      visit.acting,
      type: try visit.typeName(),
      try visit.recordName(),
      isWhole: false
    )
    let name = try visit.request.parameter("transition")
    guard let transition = screen.type.workflow?.transition(name) else { throw DomainError(.notFound) }
    return (screen, transition)
  }

  private func act(_ visit: Visit) async throws -> APIAnswer {
    let (screen, transition) = try await transition(visit)
    let form = try visit.form()
    let values = FormValues(screen.type, screen.frame)
    let texts = Dictionary(form.below(FieldPart.prefix)) { first, _ in first }
    let id = screen.record["id"]?.string ?? ""
    do {
      var body = try values.values(texts)
      if let comment = form.text("comment") { body["comment"] = .string(comment) }
      _ = try await inner.send(
        .post,
        Visit.path(of: screen.type.name, id, "do", transition.name),
        json: body,
        key: form["key"],
        tag: form["version"].map { "\"\($0)\"" },
        for: visit.request
      )
    } catch let error as DomainError where error.isMendable {
      let page = try await transitionForm(visit, form, values.quoting(texts, in: error), transition)
      return .page(page.html(transition), status: status(of: error, visit))
    }
    return .see(
      form["back"] == "board" ? visit.place(of: screen.type, "board") : visit.place(of: screen.type, id)
    )
  }

  private func askDeletion(_ visit: Visit) async throws -> APIAnswer {
    let screen = try await screens.record(
      visit.acting,
      type: try visit.typeName(),
      try visit.recordName(),
      isWhole: false
    )
    guard screen.record["allowed"]?.array?.contains("delete") == true else { throw DomainError(.forbidden) }
    return .page(TransitionForm(visit, screen, key: newKey()).deletion, for: visit.request)
  }

  private func delete(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    let name = try visit.typeName()
    do {
      _ = try await inner.send(
        .delete,
        Visit.path(of: name, try visit.recordName()),
        query: form.text("comment").map { [("comment", $0)] } ?? [],
        key: form["key"],
        tag: form["version"].map { "\"\($0)\"" },
        for: visit.request
      )
    } catch let error as DomainError where error.isMendable {
      let page = try await transitionForm(visit, form, error)
      return .page(page.deletion, status: status(of: error, visit))
    }
    return .see(visit.place(of: try await type(name)))
  }

  /// Returns the form of a transition or a deletion as it was sent, with what is wrong. If others have changed the record
  /// meanwhile, the form is for the record as it is now, and shows their changes.
  private func transitionForm(
    _ visit: Visit,
    _ form: FormBody,
    _ error: DomainError,
    _ transition: WorkflowTransition? = nil
  ) async throws -> TransitionForm {
    let screen = try await screens.record(visit.acting, type: try visit.typeName(), try visit.recordName())
    let terms = TypeWords(screen.type, Words.of(screen.frame.language))
    var page = TransitionForm(visit, screen, key: newKey())
    page.show(again: form, isStale: error.code == .stale)
    let asked = transition.map(page.columns) ?? []
    for column in ErrorWords.fields(error) where asked.contains(column) {
      page.errors[column] = ErrorWords.text(error, field: column, terms, Moments(screen.frame))
    }
    guard page.errors.isEmpty else { return page }
    let text = ErrorWords.text(error, terms, Moments(screen.frame))
    if let least = transition?.require.commentMinimum, ErrorWords.fields(error).contains("comment") {
      page.fault = terms.words("transition.comment.needed", "\(least)")
    } else if [.missingFields, .invalidInput, .valueTooLong].contains(error.code) {
      page.fault = text
    } else {
      page.refusal = text
    }
    return page
  }

  private func say(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    let (name, id) = (try visit.typeName(), try visit.recordName())
    do {
      _ = try await inner.send(
        .post,
        Visit.path(of: name, id, "comments"),
        json: ["body": .string(form["body"] ?? "")],
        key: form["key"],
        for: visit.request
      )
    } catch let error as DomainError where error.isMendable {
      return try await show(again: visit, error) { page, text in
        (page.comment, page.commentFault) = (form["body"] ?? "", text)
      }
    }
    return .see(visit.place(of: try await type(name), id, fragment: "story"))
  }

  /// Returns the page of a record with what is wrong with one of its forms.
  private func show(again visit: Visit, _ error: DomainError, _ change: (inout RecordPage, String) -> Void)
    async throws -> APIAnswer
  {
    let screen = try await screens.record(visit.acting, type: try visit.typeName(), try visit.recordName())
    let terms = TypeWords(screen.type, Words.of(screen.frame.language))
    var page = RecordPage(visit, screen, key: newKey())
    change(&page, ErrorWords.text(error, terms, Moments(screen.frame)))
    return .page(page.html, status: status(of: error, visit))
  }

  private func addFile(_ visit: Visit) async throws -> APIAnswer {
    let type = try await type(try visit.typeName())
    do {
      try await upload(visit, type)
    } catch let error as DomainError where error.isMendable {
      return try await show(again: visit, error) { page, text in page.fileFault = text }
    }
    return .see(visit.place(of: type, try visit.recordName(), fragment: "files"))
  }

  private func upload(_ visit: Visit, _ type: RecordType) async throws {
    let (name, id) = (type.name, try visit.recordName())
    var (kind, added) = (type.definition.attachments.first?.kind ?? "", false)
    var parts = try Multipart(visit.request)
    while let part = try await parts.next() {
      guard let file = part.fileName else {
        let text = String(decoding: try await parts.bytes(most: 200), as: UTF8.self)
        if part.name == "kind" { kind = text }
        guard part.name != Visit.personField || text == visit.person else {
          throw DomainError(.invalidInput, "somebody else has opened this page; choose the file again")
        }
        continue
      }
      let (copy, size) = try await parts.file()
      defer { try? copy.close() }
      guard !file.isEmpty else { continue }
      guard size > 0 else { throw DomainError(.invalidInput, "the file is empty") }
      let wish: JSONObject = ["kind": .string(kind), "name": .string(file), "size": .integer(size)]
      let upload = try await inner.send(
        .post,
        Visit.path(of: name, id, "files"),
        json: wish,
        for: visit.request
      )
      _ = try await inner.send(
        .put,
        ["v1", "files", upload.object["id"]?.string ?? ""],
        .stream(.reading(copy), length: size),
        for: visit.request
      )
      added = true
    }
    guard added else { throw DomainError(.invalidInput, "no file was chosen") }
  }
}

extension APIRequest {
  /// The value of a placeholder; nil if the route has none.
  func optional(_ name: String) -> String? { try? parameter(name) }
}

extension DomainError {
  /// True if a person can mend it in the form that they sent.
  var isAboutInput: Bool {
    ![.unauthenticated, .sessionExpired, .crossSiteRequest, .unavailable, .timedOut, .internal, .rateLimited]
      .contains(code)
  }

  /// True if the form is shown again to a person who can mend it, and who may still see what it is about.
  var isMendable: Bool { isAboutInput && ![.notFound, .forbidden].contains(code) }
}
