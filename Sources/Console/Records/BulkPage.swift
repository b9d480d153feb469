internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// A transition of many records: what would happen, and after it was confirmed, what happened.
struct BulkPage {
  let visit: Visit
  let frame: ScreenFrame
  let type: RecordType
  let transition: WorkflowTransition
  /// The outcome as the API answers it.
  let outcome: JSONObject
  /// The fields that choose the records, for the form that confirms.
  let chosen: [(name: String, value: String)]
  let isDryRun: Bool
  /// The comment that was written, and what is wrong with it.
  var comment = ""
  var fault: String?
  let key: String

  private var words: Words { Words.of(frame.language) }
  private var terms: TypeWords { TypeWords(type, words) }

  var html: HTML {
    let items = outcome["items"]?.array?.compactMap(\.object) ?? []
    let done = Int(outcome["done"]?.number?.integer ?? 0)
    let refused = Int(outcome["refused"]?.number?.integer ?? 0)
    let label = terms.transition(transition.name)
    let counts =
      isDryRun ? words.count("bulk.would", done, label) : words.count("bulk.done", done, label)
    let refusals: HTML = refused == 0 ? .none : Notice.bar(words.count("bulk.refused", refused), "warning")
    return Layout.page(
      visit,
      frame,
      title: label,
      at: type.name,
      """
      <p class="crumb"><a href="\(link: back)">\(terms.plural)</a></p>
      <h1>\(label): \(terms.innerPlural)</h1>
      <p class="lead">\(counts)</p>\(refusals)
      \(fault.map { Notice.bar($0, "bad") } ?? .none)
      \(isDryRun && done > 0 ? form(label) : "<p><a class=\"button\" href=\"\(link: back)\">\(words("bulk.back"))</a></p>")
      \(table(items))
      """
    )
  }

  private var back: Place {
    visit.place(
      of: type,
      query: chosen.compactMap { pair in
        pair.name.hasPrefix("q.") ? (String(pair.name.dropFirst(2)), pair.value) : nil
      }
    )
  }

  private func form(_ label: String) -> HTML {
    let comment: HTML =
      transition.require.commentMinimum == nil
      ? .none
      : """
      <div class="field"><label for="comment">\(words("transition.comment"))</label><textarea id="comment" name="comment" rows="2" maxlength="10000" required>\(self.comment)</textarea></div>
      """
    return """
      <form class="form" method="post" action="\(link: visit.place(of: type, "bulk"))">
      \(hidden("key", key))\(hidden("confirmed", "true"))\(hidden("transition", transition.name))\(chosen.map { hidden($0.name, $0.value) })
      \(comment)
      <div class="buttons"><button class="button primary" type="submit">\(words("bulk.confirm", label))</button>
      <a class="button" href="\(link: back)">\(words("form.cancel"))</a></div></form>
      """
  }

  private func table(_ items: [JSONObject]) -> HTML {
    let rows = items.map { item -> HTML in
      let id = item["id"]?.string ?? ""
      let result: HTML =
        item["code"]?.string == nil
        ? "<span class=\"whole\">\(isDryRun ? words("bulk.yes") : words("bulk.did"))</span>"
        : "<span class=\"bad\">\(reason(item))</span>"
      let status: HTML =
        item["status"]?.string.map {
          ValueText(visit, frame, type, .none).pill($0)
        } ?? .none
      return """
        <tr><th scope="row"><a href="\(link: visit.place(of: type, id))">\(own: item["record"]?.string ?? id)</a></th><td>\(result)</td><td>\(status)</td></tr>
        """
    }
    return """
      <div class="scroll" role="region" aria-label="\(words("bulk.result"))" tabindex="0"><table class="list"><thead><tr><th scope="col">\(terms.label)</th><th scope="col">\(words("bulk.result"))</th><th scope="col">\(terms.column("status"))</th></tr></thead><tbody>\(rows)</tbody></table></div>
      """
  }

  private func reason(_ item: JSONObject) -> String {
    guard let code = item["code"]?.string.flatMap(ErrorCode.init(rawValue:)) else { return "" }
    return ErrorWords.text(DomainError(code, item["reason"]?.string ?? code.title), terms, Moments(frame))
  }
}

extension Console {
  /// The most records that are named one by one in the address of a request.
  private static let mostMarked = 200

  func bulk(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    let frame = try await screens.frame(visit.acting)
    let type = try frame.type(try visit.typeName())
    func again(_ message: String) async throws -> APIAnswer {
      let error = DomainError(.invalidInput, message)
      return try await list(visit, ListQuery(form.below("q."), type), refusal: error) { page, text in
        (page.fault, page.action) = (text, form["transition"])
      }
    }
    guard let transition = form["transition"].flatMap({ type.workflow?.transition($0) }) else {
      return try await again("no action was chosen")
    }
    let isConfirmed = form["confirmed"] == "true"
    let isMarked = form["scope"] != "all"
    var query = form.below("q.").filter { $0.name != "sort" && $0.name != "after" }
    if isMarked {
      let ids = form.all("id")
      guard !ids.isEmpty else {
        return try await again("no record is marked; mark some, or choose all that match")
      }
      guard ids.count <= Self.mostMarked else {
        return try await again("at most \(Self.mostMarked) records can be marked")
      }
      query = [("where", "id in \(ids.joined(separator: ","))")]
    }
    if query.isEmpty { query = [("where", "id is not null")] }
    var body: JSONObject = [:]
    if let comment = form.text("comment") { body["comment"] = .string(comment) }
    // Without a comment that it needs, a trial would only refuse.
    if !isConfirmed, let least = transition.require.commentMinimum {
      body["comment"] = .string(String(repeating: ".", count: least))
    }
    let chosen = form.fields.filter { $0.name.hasPrefix("q.") || $0.name == "scope" || $0.name == "id" }
    let path = Visit.path(of: type.name, "do", transition.name)
    func send(isTrial: Bool) async throws -> JSONObject {
      try await inner.send(
        .post,
        path,
        query: query + (isTrial ? [("dry_run", "true")] : []),
        json: body,
        key: isTrial ? nil : form["key"],
        for: visit.request
      ).object
    }
    var (outcome, fault, isTrial): (JSONObject, String?, Bool) = ([:], nil, !isConfirmed)
    do {
      outcome = try await send(isTrial: isTrial)
    } catch let error as DomainError where isConfirmed && error.isAboutInput {
      // What was wrong stands above the form, as for a single record.
      let words = Words.of(frame.language)
      let least = ErrorWords.fields(error).contains("comment") ? transition.require.commentMinimum : nil
      fault =
        least.map { words("transition.comment.needed", "\($0)") }
        ?? ErrorWords.text(error, TypeWords(type, words), Moments(frame))
      if let least = transition.require.commentMinimum {
        body["comment"] = .string(String(repeating: ".", count: least))
      }
      isTrial = true
      outcome = try await send(isTrial: true)
    }
    let page = BulkPage(
      visit: visit,
      frame: frame,
      type: type,
      transition: transition,
      outcome: outcome,
      chosen: chosen,
      isDryRun: isTrial,
      comment: fault == nil ? "" : form["comment"] ?? "",
      fault: fault,
      key: newKey()
    )
    return .page(page.html, status: fault == nil ? 200 : 422)
  }
}
