internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The form for a transition that needs a comment or a field, and the question before a deletion.
struct TransitionForm {
  let visit: Visit
  let screen: RecordScreen
  let key: String
  /// What is wrong with the comment.
  var fault: String?
  /// Why it cannot be done as it was sent.
  var refusal: String?
  /// What is wrong with fields, by column.
  var errors: [String: String] = [:]
  var texts: [String: String] = [:]
  /// The version for which the form was made.
  private var version: String
  /// The page to which the form leads, unless it is that of the record.
  private var back: String?
  /// How many changes others have made since the form was opened.
  private var changes = 0

  private var type: RecordType { screen.type }
  private var words: Words { Words.of(screen.frame.language) }
  private var terms: TypeWords { TypeWords(type, words) }
  private var id: String { screen.record["id"]?.string ?? "" }
  private var value: ValueText { ValueText(visit, screen.frame, type, screen.names) }

  init(_ visit: Visit, _ screen: RecordScreen, key: String) {
    self.visit = visit
    self.screen = screen
    self.key = key
    version = screen.frame.tag(screen.record)
  }

  /// Shows the form again as it was sent.
  ///
  /// - Parameter isStale: true if the record has changed since: then the form is for the record as it is now.
  mutating func show(again form: FormBody, isStale: Bool) {
    texts = Dictionary(form.below(FieldPart.prefix)) { first, _ in first }
    texts["comment"] = form["comment"]
    back = form["back"]
    guard let given = form["version"] else { return }
    guard isStale else {
      version = given
      return
    }
    let now = screen.record["version"]?.number?.integer ?? 0
    let then = (try? EntityTag.Precondition("\"\(given)\""))?.version ?? now
    changes = Int(max(0, now - then))
  }

  /// True if a transition asks for something that the record does not have, or leads to a state that nothing leaves.
  static func asks(_ transition: WorkflowTransition, _ record: JSONObject, in type: RecordType) -> Bool {
    transition.require.commentMinimum != nil || type.workflow?.state(transition.to)?.isFinal == true
      || transition.require.fields.contains { record[$0]?.isNull ?? true }
  }

  /// The columns that the form of a transition asks for: what the record lacks, and when it happened, if not now.
  func columns(_ transition: WorkflowTransition) -> [String] {
    let times = transition.givenTimes.filter { !transition.require.fields.contains($0) }
    return transition.require.fields.filter { screen.record[$0]?.isNull ?? true } + times
  }

  func html(_ transition: WorkflowTransition) -> HTML {
    let label = terms.transition(transition.name)
    let fields = columns(transition)
    let form = FormScreen(
      frame: screen.frame,
      type: type,
      record: screen.record,
      columns: fields,
      names: screen.names
    )
    let part = FieldPart(
      screen: form,
      terms: terms,
      hints: Dictionary(
        uniqueKeysWithValues: Set(transition.givenTimes).map { ($0, words("transition.time.hint")) }
      )
    )
    let inputs = fields.map { column in
      let isRequired = transition.require.fields.contains(column)
      return part.html(column, texts[column] ?? "", error: errors[column], isRequired: isRequired)
    }
    let isLast = type.workflow?.state(transition.to)?.isFinal == true
    let last: HTML = isLast ? "<p>\(words("transition.final", terms.state(transition.to)))</p>" : .none
    return page(
      title: "\(label): \(value.name(screen.record))",
      action: visit.place(of: type, id, "do", transition.name),
      button: label,
      isDanger: false,
      fields: last + HTML.joined(inputs) + comment(isRequired: transition.require.commentMinimum != nil)
    )
  }

  /// The question before a deletion.
  var deletion: HTML {
    page(
      title: words("delete.title", terms.inner, value.name(screen.record)),
      action: visit.place(of: type, id, "delete"),
      button: words("record.delete"),
      isDanger: true,
      fields: "<p>\(words("delete.text"))</p>" + comment(isRequired: false)
    )
  }

  private func comment(isRequired: Bool) -> HTML {
    let optional: HTML = isRequired ? .none : " <span class=\"optional\">\(words("form.optional"))</span>"
    let about: HTML = fault == nil ? .none : " aria-describedby=\"comment-error\" aria-invalid=\"true\""
    let error: HTML = fault.map { "<p class=\"error\" id=\"comment-error\">\($0)</p>" } ?? .none
    return """
      <div class="field\(fault == nil ? "" : " wrong")"><label for="comment">\(words("transition.comment"))\(optional)</label>\(error)<textarea id="comment" name="comment" rows="3" maxlength="10000"\(about)>\(texts["comment"] ?? "")</textarea></div>
      """
  }

  /// Why the form is shown again, with what others have changed.
  private var reason: HTML {
    guard let refusal else { return .none }
    let news: HTML =
      changes == 0
      ? .none : "\(Timeline(visit, screen, value).newest(changes))<p>\(words("transition.stale"))</p>"
    return
      "<div class=\"summary\" role=\"alert\" tabindex=\"-1\" id=\"summary\"><p>\(refusal)</p>\(news)</div>"
  }

  private func page(title: String, action: Place, button: String, isDanger: Bool, fields: HTML) -> HTML {
    let wrong =
      errors.sorted { $0.key < $1.key }.map { ("field-\($0.key)", $0.value) }
      + (fault.map { [("comment", $0)] } ?? [])
    let items = wrong.map { target, text -> HTML in "<li><a href=\"#\(target)\">\(text)</a></li>" }
    let summary: HTML =
      wrong.isEmpty
      ? .none
      : """
      <div class="summary" role="alert" tabindex="-1" id="summary"><h2>\(words.count("form.wrong", wrong.count))</h2><ul>\(items)</ul></div>
      """
    return Layout.page(
      visit,
      screen.frame,
      title: title,
      at: type.name,
      """
      <p class="crumb"><a href="\(link: visit.place(of: type, id))">\(value.name(screen.record))</a></p>
      <h1>\(title)</h1>
      \(summary)\(reason)
      <form class="form" method="post" action="\(link: action)">
      \(hidden("key", key))\(hidden("version", version))\(back.map { hidden("back", $0) } ?? .none)
      \(fields)
      <div class="buttons"><button class="button \(isDanger ? "danger" : "primary")" type="submit">\(button)</button>
      <a class="button" href="\(link: visit.place(of: type, id))">\(words("form.cancel"))</a></div>
      </form>
      """
    )
  }
}
