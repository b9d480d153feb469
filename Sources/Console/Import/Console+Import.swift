internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// Imports in the browser: a file is sent, its columns are chosen, a trial shows what it would be, and it is imported.
extension Console {
  var importRoutes: [Route] {
    [
      inside(.get, "/imports", imports(_:)), inside(.get, "/imports/new") { .page(try await newImport($0)) },
      inside(
        .post,
        "/imports/new",
        body: .stream(maximumBytes: ImportDrafts.mostBytes + Multipart.mostOverhead),
        sendImport(_:)
      ),
      inside(.get, "/imports/{import}") { try await showImport($0) },
      inside(.post, "/imports/{import}", tryImport(_:)),
      inside(.get, "/imports/{import}/refused", refusedLines(_:)),
      inside(.get, "/imports/{number}/undo") { .page(try await undoPage($0), for: $0.request) },
      inside(.post, "/imports/{number}/undo", undo(_:)),
    ]
  }

  private var drafts: ImportDrafts { ImportDrafts(services, records) }

  private func draft(_ visit: Visit) async throws -> ImportDraft {
    guard let id = UUID(text: try visit.request.parameter("import")) else { throw DomainError(.notFound) }
    return try await drafts.find(visit.acting, id)
  }

  /// The list of imports, newest first.
  private func imports(_ visit: Visit) async throws -> APIAnswer {
    let frame = try await screens.frame(visit.acting)
    let (words, moments) = (Words.of(frame.language), Moments(frame))
    let open = try await drafts.open(visit.acting).map { draft -> HTML in
      let type = frame.types.first { $0.name == draft.type }
      let label = type.map { TypeWords($0, words).plural } ?? draft.type
      return """
        <li><a href="\(link: visit.place("imports", draft.id.text))"><strong>\(own: draft.name)</strong></a><p class="facts"><span>\(label)</span><span>\(moments.html(.string(draft.updatedAt.rfc3339)))</span></p></li>
        """
    }
    let waiting: HTML =
      open.isEmpty
      ? .none
      : "<section class=\"card\"><h2>\(words("import.open"))</h2><ul class=\"rows\">\(open)</ul></section>"
    let rows = try await Imports(services, records).newest(visit.acting)
    let items = rows.map { row -> JSONObject in
      [
        "number": .integer(row.number), "at": .string(row.at.rfc3339), "type": .string(row.type),
        "file": .string(row.file), "imported": .integer(row.imported), "changed": .integer(row.changed),
        "who": .string(row.actor), "undone": row.undoneAt.map { .string($0.rfc3339) } ?? .null,
      ]
    }
    func number(_ item: JSONObject, _ name: String) -> HTML {
      "\(NumberText(words.language).text(Int(item[name]?.number?.integer ?? 0)))"
    }
    let table = ItemTable(
      label: words("import.list"),
      columns: [
        .init(words("import.number"), isNumber: true) { number($0, "number") },
        .init(words("audit.at")) { moments.html($0["at"]) },
        .init(words("import.what")) { item in
          let type = frame.types.first { $0.name == item["type"]?.string }
          return "\(type.map { TypeWords($0, words).plural } ?? item["type"]?.string ?? "")"
        },
        .init(words("import.file"), text: "file"),
        .init(words("import.imported"), isNumber: true) { number($0, "imported") },
        .init(words("import.changed"), isNumber: true) { number($0, "changed") },
        .init(words("audit.who"), text: "who"),
        .init(words("people.actions"), isUnseen: true) { item in
          guard item["undone"]?.string == nil else {
            return "<span class=\"quiet\">\(words("import.undone"))</span>"
          }
          let type = item["type"]?.string ?? ""
          guard frame.may("\(type).delete") || frame.may("\(type).delete.own") else { return .none }
          let place = visit.place("imports", "\(item["number"]?.number?.integer ?? 0)", "undo")
          return "<a class=\"button small\" href=\"\(link: place)\">\(words("import.undo"))</a>"
        },
      ],
      items: items,
      empty: "<p>\(words("import.none"))</p>"
    )
    let new: HTML =
      ImportPage.types(frame).isEmpty
      ? .none
      : "<a class=\"button primary\" href=\"\(link: visit.place("imports", "new"))\">\(words("import.new"))</a>"
    let html = Layout.page(
      visit,
      frame,
      title: words("import.list"),
      at: "imports",
      """
      <div class="head"><h1>\(words("import.list"))</h1><div class="actions">\(new)</div></div>\(waiting)\(table.html)
      """
    )
    return .page(html, for: visit.request)
  }

  private func newImport(_ visit: Visit, _ fault: DomainError? = nil, type: String? = nil) async throws
    -> HTML
  {
    let frame = try await screens.frame(visit.acting)
    let words = Words.of(frame.language)
    let wanted = type ?? visit.request.asked("type")
    let offered = ImportPage.types(frame)
    let types = TypeWords.apps(of: offered).flatMap { app -> [RecordType] in
      let own = offered.filter { $0.app == app }
      return own.filter { $0.workflow != nil } + own.filter { $0.workflow == nil }
    }
    guard !types.isEmpty else { throw DomainError(.forbidden) }
    let options = types.map { type in
      Select.option(
        type.name,
        "\(TypeWords(type, words).app): \(TypeWords(type, words).plural)",
        isChosen: type.name == wanted
      )
    }
    return Layout.page(
      visit,
      frame,
      title: words("import.new"),
      at: "imports",
      """
      <p class="crumb"><a href="\(link: visit.place("imports"))">\(words("import.list"))</a></p><h1>\(words("import.new"))</h1>
      \(fault.map { AccountPages.summary(ErrorWords.text($0, words), words) } ?? .none)
      <p class="lead">\(words("import.text"))</p>
      <form class="form" method="post" enctype="multipart/form-data" action="\(link: visit.place("imports", "new"))">
      <div class="field"><label for="type">\(words("import.what"))</label><select id="type" name="type">\(options)</select></div>
      <div class="field"><label for="file">\(words("import.file"))</label><p class="hint" id="file-hint">\(words("import.file.hint"))</p><input id="file" name="file" type="file" accept=".csv,.tsv,.txt,.jsonl,.ndjson,text/csv" required aria-describedby="file-hint"></div>
      <div class="buttons"><button class="button primary" type="submit">\(words("import.send"))</button></div></form>
      """
    )
  }

  private func sendImport(_ visit: Visit) async throws -> APIAnswer {
    var (type, name, bytes): (String, String, [UInt8]?) = ("", "", nil)
    do {
      var parts = try Multipart(visit.request)
      while let part = try await parts.next() {
        if part.name == "type" { type = String(decoding: try await parts.bytes(most: 200), as: UTF8.self) }
        guard part.name == "file", let file = part.fileName else { continue }
        (name, bytes) = (file, try await parts.bytes(most: ImportDrafts.mostBytes + Multipart.mostOverhead))
      }
      guard let bytes, !name.isEmpty else { throw DomainError(.missingFields, "no file was chosen") }
      let id = try await drafts.begin(visit.acting, type: type, name: name, bytes)
      return .see(visit.place("imports", id.text))
    } catch let error as DomainError where error.isAboutInput {
      return .page(try await newImport(visit, error, type: type), status: 422)
    }
  }

  /// The columns, the trial and the buttons; or how far the import is, or what it did.
  private func showImport(_ visit: Visit, _ given: ImportChoices? = nil, fault: DomainError? = nil)
    async throws
    -> APIAnswer
  {
    let draft = try await draft(visit)
    let frame = try await screens.frame(visit.acting)
    let type = try frame.type(draft.type)
    var page = ImportPage(visit: visit, frame: frame, type: type, draft: draft)
    page.fault = fault
    if draft.state == "running" {
      let isHere = runs.progress(draft.id) != nil
      guard isHere || draft.updatedAt.microseconds < frame.now.microseconds - 900_000_000 else {
        return .page(page.running(runs.progress(draft.id)))
      }
      if isHere { return .page(page.running(runs.progress(draft.id))) }
    }
    guard draft.hasContent, draft.state != "done" else { return .page(page.ended) }
    let isFirst = given == nil && visit.request.method == .get
    let known = isFirst && draft.choices.columns.isEmpty ? nil : given ?? draft.choices
    let (trial, choices) = try await drafts.trial(
      visit.acting,
      draft,
      isFirst ? nil : known,
      words: page.columnWords
    )
    return .page(page.html(trial, choices), status: fault == nil ? 200 : 422)
  }

  private func tryImport(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    let draft = try await draft(visit)
    var choices = ImportForm.choices(form)
    choices.skipsBad = form["go"] == "rest"
    // A page about a file whose headings cannot be read has no columns.
    if choices.columns.isEmpty { choices.columns = draft.choices.columns }
    do {
      try await drafts.keep(visit.acting, draft, choices)
      guard ["import", "rest"].contains(form["go"]) else { return try await showImport(visit, choices) }
      let chosen = try await drafts.find(visit.acting, draft.id)
      let (acting, drafts) = (visit.acting, drafts)
      await runs.begin(draft.id) { progress in _ = try await drafts.run(acting, chosen, progress: progress) }
      return .see(visit.place("imports", draft.id.text))
    } catch let error as DomainError where error.isAboutInput {
      return try await showImport(visit, choices, fault: error)
    }
  }

  /// The lines that an import would refuse, as a file to correct.
  private func refusedLines(_ visit: Visit) async throws -> APIAnswer {
    let draft = try await draft(visit)
    let (trial, _) = try await drafts.trial(visit.acting, draft, draft.choices, words: [:])
    guard let outcome = trial.outcome else { throw trial.fault ?? DomainError(.notFound) }
    var bytes: [UInt8] = []
    try RefusedFile(outcome.form, outcome.refused).write { bytes += $0 }
    let headers: APIHeaders = [
      "content-type": "text/csv; charset=utf-8", "cache-control": "no-store",
      "content-disposition": "attachment; filename=\"refused.csv\"",
    ]
    return APIAnswer(headers: headers, body: .bytes(bytes))
  }

  // MARK: Undoing

  private func number(_ visit: Visit) throws -> Int64 {
    guard let number = Int64(try visit.request.parameter("number")), number > 0 else {
      throw DomainError(.notFound)
    }
    return number
  }

  private func undoPage(_ visit: Visit, _ fault: DomainError? = nil) async throws -> HTML {
    let frame = try await screens.frame(visit.acting)
    let words = Words.of(frame.language)
    let number = try number(visit)
    let rows = try await Imports(services, records).newest(visit.acting)
    guard let row = rows.first(where: { $0.number == number }), row.undoneAt == nil else {
      throw DomainError(.notFound)
    }
    guard frame.may("\(row.type).delete") || frame.may("\(row.type).delete.own") else {
      throw DomainError(.forbidden)
    }
    let numbers = NumberText(words.language)
    let type = frame.types.first { $0.name == row.type }
    let label = type.map { TypeWords($0, words).plural } ?? row.type
    var lines: [HTML] = ["<li>\(label): \(numbers.text(Int(row.imported)))</li>"]
    if row.created > 0 { lines.append("<li>\(words.count("import.others", Int(row.created)))</li>") }
    if row.changed > 0 { lines.append("<li>\(words.count("import.stay", Int(row.changed)))</li>") }
    let form: HTML = """
      <section class="card"><p>\(words("import.undo.text"))</p><ul>\(lines)</ul>
      <form method="post" action="\(link: visit.place("imports", "\(number)", "undo"))"><div class="buttons"><button class="button danger" type="submit">\(words("import.undo.go"))</button><a class="button" href="\(link: visit.place("imports"))">\(words("form.cancel"))</a></div></form></section>
      """
    let title = words("import.undo.title", "\(number)")
    return Layout.page(
      visit,
      frame,
      title: title,
      at: "imports",
      """
      <p class="crumb"><a href="\(link: visit.place("imports"))">\(words("import.list"))</a></p><h1>\(title)</h1>
      \(fault.map { AccountPages.summary(ErrorWords.text($0, words), words) } ?? .none)\(form)
      """
    )
  }

  private func undo(_ visit: Visit) async throws -> APIAnswer {
    let number = try number(visit)
    return try await change(
      visit,
      to: visit.place("imports"),
      again: { try await undoPage(visit, $0) }
    ) { _ = try await Imports(services, records).undo(visit.acting, number: number) }
  }
}
