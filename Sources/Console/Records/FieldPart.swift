internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// One field of a form: label above, hint, error between label and input.
struct FieldPart {
  let screen: FormScreen
  let terms: TypeWords
  /// Where the names of matching records are asked for while somebody writes; nil on a form without references.
  var options: Place?
  /// What a field expects on this form, by column, in place of its usual hint.
  var hints: [String: String] = [:]
  /// The prefix of field names, so that a column cannot be taken for a field of the form itself.
  static let prefix = "f."

  private var words: Words { terms.words }
  private var type: RecordType { screen.type }

  /// Returns a field.
  ///
  /// - Parameters:
  ///   - text: what the field shows.
  ///   - error: what is wrong with it; nil if nothing is.
  ///   - isRequired: false adds the word for optional fields.
  func html(_ column: String, _ text: String, error: String?, isRequired: Bool) -> HTML {
    let id = "field-\(column)"
    let optional: HTML = isRequired ? .none : " <span class=\"optional\">\(words("form.optional"))</span>"
    let hint = hints[column] ?? terms.hint(column)
    let hintHTML: HTML = hint.map { "<p class=\"hint\" id=\"\(id)-hint\">\($0)</p>" } ?? .none
    let errorHTML: HTML = error.map { "<p class=\"error\" id=\"\(id)-error\">\($0)</p>" } ?? .none
    let described = [hint.map { _ in "\(id)-hint" }, error.map { _ in "\(id)-error" }].compactMap(\.self)
    let about: HTML =
      (described.isEmpty ? .none : " aria-describedby=\"\(described.joined(separator: " "))\"")
      + (error == nil ? .none : " aria-invalid=\"true\"")
    guard !isRadio(column) else {
      return """
        <fieldset class="field\(error == nil ? "" : " wrong")"><legend>\(terms.column(column))\(optional)</legend>\(hintHTML)\(errorHTML)\(radios(column, text, id))</fieldset>
        """
    }
    return """
      <div class="field\(error == nil ? "" : " wrong")"><label for="\(id)">\(terms.column(column))\(optional)</label>\(hintHTML)\(errorHTML)\(input(column, text, id, about))</div>
      """
  }

  /// True for a column of few words: they are all shown.
  private func isRadio(_ column: String) -> Bool {
    if type.column(column)?.kind == .boolean || !terms.codes(column).isEmpty { return true }
    return (screen.frame.choices(of: type)[column]?.count ?? .max) <= 4
  }

  private func radios(_ column: String, _ text: String, _ id: String) -> HTML {
    var options: [(String, String)]
    if let choices = screen.frame.choices(of: type)[column] {
      options = choices.map { ($0, terms.choice($0, of: column)) }
    } else if !terms.codes(column).isEmpty {
      options = terms.codes(column)
    } else {
      options = [("true", words("value.yes")), ("false", words("value.no"))]
    }
    if type.column(column)?.isNullable == true { options.insert(("", words("value.unset")), at: 0) }
    let chosen = text.isEmpty && type.column(column)?.isNullable == false ? nil : text
    return .joined(
      options.enumerated().map { index, option -> HTML in
        """
        <label class="radio"><input type="radio" id="\(id)-\(index)" name="\(Self.prefix)\(column)" value="\(option.0)"\(flag: "checked", if: option.0 == chosen)><span>\(option.1)</span></label>
        """
      }
    )
  }

  private func input(_ column: String, _ text: String, _ id: String, _ about: HTML) -> HTML {
    let name = "\(Self.prefix)\(column)"
    if let options = screen.options[column] { return reference(options, text, id, name, about) }
    if let choices = screen.frame.choices(of: type)[column] {
      return select(choices.map { ($0, terms.choice($0, of: column)) }, text, id, name, about)
    }
    switch type.column(column)?.kind {
    case .date?: return "<input id=\"\(id)\" name=\"\(name)\" type=\"date\" value=\"\(text)\"\(about)>"
    case .time?: return "<input id=\"\(id)\" name=\"\(name)\" type=\"time\" value=\"\(text)\"\(about)>"
    case .instant?:
      return "<input id=\"\(id)\" name=\"\(name)\" type=\"datetime-local\" value=\"\(text)\"\(about)>"
    case .numeric?, .real?:
      return
        "<input id=\"\(id)\" name=\"\(name)\" inputmode=\"decimal\" autocomplete=\"off\" maxlength=\"40\" value=\"\(text)\" class=\"short\"\(about)>"
    case .integer?:
      return
        "<input id=\"\(id)\" name=\"\(name)\" inputmode=\"numeric\" autocomplete=\"off\" maxlength=\"40\" value=\"\(text)\" class=\"short\"\(about)>"
    // A field of one line would drop the ends of lines, and so change the text.
    case .text? where isLong(column) || text.contains("\n"), .json?:
      return "<textarea id=\"\(id)\" name=\"\(name)\" rows=\"3\"\(about)>\(text)</textarea>"
    default: return "<input id=\"\(id)\" name=\"\(name)\" value=\"\(text)\"\(about)>"
    }
  }

  /// True for a text that may need several lines: it is no name of the record, and no short limit is set.
  private func isLong(_ column: String) -> Bool {
    let isName =
      type.definition.key.contains(column) || column == "name" || column == "title" || column == "code"
    let limit = type.definition.limits[column] ?? .max
    return !isName && limit > 200
      && (column.hasSuffix("note") || column.hasSuffix("notes")
        || ["description", "issue", "body", "text", "comment", "reason"].contains(column))
  }

  private func select(
    _ options: [(String, String)],
    _ text: String,
    _ id: String,
    _ name: String,
    _ about: HTML
  )
    -> HTML
  {
    let isKnown = text.isEmpty || options.contains { $0.0 == text }
    let other: HTML = isKnown ? .none : Select.option(text, screen.names[text] ?? text, isChosen: true)
    return """
      <select id="\(id)" name="\(name)"\(about)><option value="">\(words("form.choose"))</option>\(other)\(options.map { Select.option($0.0, $0.1, isChosen: $0.0 == text) })</select>
      """
  }

  /// Few options are a choice. Of many, the field takes the name, number or code, and suggests some.
  private func reference(
    _ options: FormScreen.Options,
    _ text: String,
    _ id: String,
    _ name: String,
    _ about: HTML
  )
    -> HTML
  {
    guard options.hasMore else {
      let groups = Set(options.first.compactMap(\.group))
      guard groups.count > 1 else {
        return select(options.first.map { ($0.id, $0.name) }, text, id, name, about)
      }
      let isKnown = text.isEmpty || options.first.contains { $0.id == text }
      let other: HTML = isKnown ? .none : Select.option(text, screen.names[text] ?? text, isChosen: true)
      let parts = groups.sorted().map { group -> HTML in
        let own = options.first.filter { $0.group == group }
        return
          "<optgroup label=\"\(group)\">\(own.map { Select.option($0.id, $0.name, isChosen: $0.id == text) })</optgroup>"
      }
      return """
        <select id="\(id)" name="\(name)"\(about)><option value="">\(words("form.choose"))</option>\(other)\(parts)</select>
        """
    }
    let shown = screen.shown(String(name.dropFirst(Self.prefix.count)), text)
    let source: HTML =
      self.options.map {
        " data-options=\"\(link: $0)\" data-column=\"\(String(name.dropFirst(Self.prefix.count)))\""
      } ?? .none
    let names = options.first.map { option -> HTML in "<option value=\"\(option.name)\"></option>" }
    return """
      <input id="\(id)" name="\(name)" list="\(id)-list" autocomplete="off" value="\(shown)"\(source)\(about)><datalist id="\(id)-list">\(names)</datalist>
      """
  }
}
