internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The form for a new record, or for the change of one.
struct FormPage {
  let visit: Visit
  let screen: FormScreen
  /// What the fields show, by column.
  var texts: [String: String] = [:]
  /// What is wrong with fields, by column.
  var errors: [String: String] = [:]
  /// What is wrong with the form as a whole.
  var fault: String?
  let key: String
  /// The version for which the form was made, and what its fields showed then, by column; nil and none for a new record.
  private var version: String?
  private var before: [String: String] = [:]
  /// The columns that the form had when it was sent; none for a form that is opened.
  private var sent: Set<String> = []
  /// The page to which a new record leads, unless it is its own.
  private var returning: String?

  private var type: RecordType { screen.type }
  private var terms: TypeWords { TypeWords(type, words) }
  private var words: Words { Words.of(screen.frame.language) }
  private var id: String? { screen.record?["id"]?.string }

  /// The fields of a new record that are all shown at once.
  private static let fewFields = 8

  /// The columns that are today unless a person says otherwise.
  private static let dated = ["reported_on", "work_date"]

  /// A form with the values of the record, or those that an address proposes.
  init(_ visit: Visit, _ screen: FormScreen, key: String) {
    self.visit = visit
    self.screen = screen
    self.key = key
    let values = FormValues(screen.type, screen.frame)
    for column in screen.columns { texts[column] = values.text(column, screen.record?[column]) }
    if let record = screen.record {
      version = screen.frame.tag(record)
      for column in screen.columns { before[column] = screen.shown(column, texts[column] ?? "") }
      return
    }
    // Of whom a record is about, the person who writes is the likely one.
    if let user = visit.acting.user {
      for reference in screen.type.definition.references
      where reference.target == "core.membership"
        && screen.type.definition.ownerFields.contains(reference.column)
        && screen.columns.contains(reference.column)
      { texts[reference.column] = user.text }
    }
    for (name, value) in visit.request.query where screen.columns.contains(name) { texts[name] = value }
    for column in Self.dated where screen.columns.contains(column) && texts[column] == "" {
      texts[column] = "\(screen.frame.today)"
    }
  }

  /// Shows the form again as it was sent. Its version and what it showed before stay those of the person who wrote, so that
  /// what others have saved meanwhile is still noticed.
  mutating func show(again form: FormBody) {
    for (column, text) in form.below(FieldPart.prefix) {
      texts[column] = text
      sent.insert(column)
    }
    returning = form["back"]
    guard screen.record != nil, let given = form["version"] else { return }
    version = given
    for (column, text) in form.below("b.") { before[column] = screen.shown(column, text) }
  }

  var html: HTML {
    let name = screen.record.map { ValueText(visit, screen.frame, type, screen.names).name($0) }
    let title = name.map { words("form.edit", terms.inner, $0) } ?? terms.new
    let place = id.map { visit.place(of: type, $0, "edit") } ?? visit.place(of: type, "new")
    let back = id.map { visit.place(of: type, $0) } ?? visit.place(of: type)
    let version: HTML = self.version.map { hidden("version", $0) } ?? .none
    // What the person saw, to show it beside theirs if somebody else changes it meanwhile.
    let before = self.before.sorted { $0.key < $1.key }.map { hidden("b.\($0.key)", $0.value) }
    return Layout.page(
      visit,
      screen.frame,
      title: title,
      at: type.name,
      """
      <p class="crumb"><a href="\(link: back)">\(name ?? terms.plural)</a></p>
      <h1>\(title)</h1>
      \(summary)
      <form class="form" method="post" action="\(link: place)" data-keep="\(type.name)">
      \(hidden("key", key))\(version)\(before)\(returning.map { hidden("back", $0) } ?? .none)
      \(fields)
      <div class="buttons"><button class="button primary" type="submit">\(words("form.save"))</button>
      <a class="button" href="\(link: back)">\(words("form.cancel"))</a></div>
      </form>
      """
    )
  }

  /// The fields: those that are needed, then the rest. A new record shows the rest on request.
  private var fields: HTML {
    let columns = screen.columns.filter { !isFile($0) && !isOfSystem($0) }
    guard screen.record == nil else { return .joined(columns.map(field)) }
    let asked = Set(visit.request.query.map(\.name))
    let first = columns.filter { column in
      // What the type's rule fills in is asked for last.
      let isFilledIn =
        type.required.contains(column) && !screen.required.contains(column) && texts[column] == ""
      return !isFilledIn
        && (screen.required.contains(column) || asked.contains(column) || errors[column] != nil
          || texts[column] != "" && !Self.dated.contains(column) || type.definition.titleField == column
          || ["priority", "due_on", "assigned_to"].contains(column))
    }
    let rest = columns.filter { !first.contains($0) }
    guard columns.count > Self.fewFields, rest.count > 2, !first.isEmpty else {
      return .joined((first + rest).map(field))
    }
    return """
      \(first.map(field))
      <details class="more"><summary>\(words("form.more", "\(rest.count)"))</summary>\(rest.map(field))</details>
      """
  }

  /// True for a column that refers to a record of the same type or cannot be changed later: other commands set it.
  private func isOfSystem(_ column: String) -> Bool {
    guard screen.record == nil, !screen.required.contains(column) else { return false }
    let isAsked = visit.request.query.contains { $0.name == column } || sent.contains(column)
    return !isAsked && type.definition.fixed.contains(column)
      && type.definition.references.contains { $0.column == column }
  }

  private func isFile(_ column: String) -> Bool {
    type.definition.references.contains { $0.column == column && $0.target == "core.attachment" }
  }

  private func field(_ column: String) -> HTML {
    FieldPart(screen: screen, terms: terms, options: visit.place(of: type, "options")).html(
      column,
      texts[column] ?? "",
      error: errors[column],
      isRequired: screen.required.contains(column)
    )
  }

  /// What has to be mended, with links to the fields.
  private var summary: HTML {
    guard !errors.isEmpty || fault != nil else { return .none }
    let items = screen.columns.compactMap { column -> HTML? in
      errors[column].map { "<li><a href=\"#field-\(column)\">\(terms.column(column)): \($0)</a></li>" }
    }
    let rest: HTML = fault.map { "<li>\($0)</li>" } ?? .none
    return """
      <div class="summary" role="alert" tabindex="-1" id="summary"><h2>\(words.count("form.wrong", max(1, errors.count)))</h2><ul>\(items)\(rest)</ul></div>
      """
  }
}

/// The page for a change of a record that somebody else has changed meanwhile: yours, now and before for each field.
/// Nothing is overwritten.
struct StalePage {
  let visit: Visit
  let screen: FormScreen
  /// What the person wrote, and what the fields showed before, by column.
  let mine: [String: String]
  let before: [String: String]
  let key: String

  var html: HTML {
    let type = screen.type
    let words = Words.of(screen.frame.language)
    let terms = TypeWords(type, words)
    let values = FormValues(type, screen.frame)
    let id = screen.record?["id"]?.string ?? ""
    let changed = screen.columns.filter { column in mine[column] != nil && mine[column] != before[column] }
    func shown(_ column: String, _ text: String) -> String {
      if let name = screen.name(column, text) { return name }
      let value = (try? values.value(column, text)) ?? .string(text)
      let known = ValueText(visit, screen.frame, type, screen.names).text(column, value)
      return known.isEmpty ? words("value.none") : known
    }
    func current(_ column: String) -> String {
      screen.shown(column, values.text(column, screen.record?[column]))
    }
    let rows = changed.map { column -> HTML in
      let now = current(column)
      let (yours, was) = (mine[column] ?? "", before[column] ?? "")
      let isSame = now == was
      return """
        <tr><th scope="row">\(terms.column(column))</th>
        <td><label class="radio"><input type="radio" name="f.\(column)" value="\(yours)"\(flag: "checked", if: isSame)\(flag: "required", if: true)><span>\(own: shown(column, yours))</span></label></td>
        <td><label class="radio"><input type="radio" name="f.\(column)" value="\(now)"><span>\(own: shown(column, now))</span></label></td>
        <td>\(own: shown(column, was))</td></tr>
        """
    }
    let name = ValueText(visit, screen.frame, type, screen.names).name(screen.record ?? [:])
    return Layout.page(
      visit,
      screen.frame,
      title: words("stale.title"),
      at: type.name,
      """
      <p class="crumb"><a href="\(link: visit.place(of: type, id))">\(name)</a></p>
      <h1>\(words("stale.title"))</h1>
      <div class="summary" role="alert" tabindex="-1" id="summary"><p>\(words("stale.text"))</p></div>
      <form method="post" action="\(link: visit.place(of: type, id, "edit"))">
      \(hidden("key", key))\(hidden("version", screen.frame.tag(screen.record ?? [:])))
      \(screen.columns.map { hidden("b.\($0)", current($0)) })
      <div class="scroll" role="region" aria-label="\(words("stale.title"))" tabindex="0"><table class="list stale">
      <thead><tr><th scope="col">\(words("stale.field"))</th><th scope="col">\(words("stale.yours"))</th><th scope="col">\(words("stale.now"))</th><th scope="col">\(words("stale.before"))</th></tr></thead>
      <tbody>\(rows)</tbody></table></div>
      <div class="buttons"><button class="button primary" type="submit">\(words("form.save"))</button>
      <a class="button" href="\(link: visit.place(of: type, id))">\(words("form.cancel"))</a></div>
      </form>
      """
    )
  }
}

extension FormScreen {
  /// Returns what the field of a column shows for a value: of a reference to one of many, the name.
  func shown(_ column: String, _ text: String) -> String {
    options[column]?.hasMore == true ? name(column, text) ?? text : text
  }

  /// Returns the name of what a column refers to, by its id or as somebody wrote it; nil for another column, for an empty
  /// text, and for the id of a record that the person may not read.
  func name(_ column: String, _ text: String) -> String? {
    guard !text.isEmpty, let options = options[column] else { return nil }
    if let option = options.first.first(where: { $0.id == text }) { return option.name }
    return names[text] ?? (UUID(text: text) == nil ? text : nil)
  }
}
