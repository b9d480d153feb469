internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// A file to import: which column fills which field, the first lines as they would be, and what would happen.
struct ImportPage {
  let visit: Visit
  let frame: ScreenFrame
  let type: RecordType
  let draft: ImportDraft
  var fault: DomainError?

  private var words: Words { Words.of(frame.language) }
  private var terms: TypeWords { TypeWords(type, words) }
  private var value: ValueText { ValueText(visit, frame, type, .none) }
  private var place: Place { visit.place("imports", draft.id.text) }

  /// The types whose records the person may import.
  static func types(_ frame: ScreenFrame) -> [RecordType] {
    frame.types.filter { type in
      type.isCreatedAsRecord && !type.definition.creatable.isEmpty
        && (frame.may("\(type.name).create") || frame.may("\(type.name).update"))
    }
  }

  /// What people call the columns, in their language and in English.
  var columnWords: [String: [String]] {
    let english = TypeWords(type, .english)
    let columns = ImportProposal.columns(of: type)
    return Dictionary(
      uniqueKeysWithValues: columns.map { column in
        let more = [words, .english].compactMap { $0.known("\(type.name).\(column)#import") }.flatMap {
          $0.split(separator: ",").map { String($0) }
        }
        return (column, [terms.column(column), english.column(column)] + more)
      }
    )
  }

  private func layout(_ content: HTML, refresh: Bool = false) -> HTML {
    let title = words("import.title", draft.name)
    let again: HTML = refresh ? "<meta http-equiv=\"refresh\" content=\"1\">" : .none
    return Layout.page(
      visit,
      frame,
      title: title,
      at: "imports",
      """
      \(again)<p class="crumb"><a href="\(link: visit.place("imports"))">\(words("import.list"))</a></p>
      <h1>\(terms.plural): \(own: draft.name)</h1>
      \(fault.map { AccountPages.summary(ErrorWords.text($0, words), words) } ?? .none)\(content)
      """
    )
  }

  /// The page while the import goes on.
  func running(_ progress: ImportRuns.Progress?) -> HTML {
    let (done, total) = (progress?.done ?? 0, progress?.total ?? 0)
    let numbers = NumberText(words.language)
    let bar: HTML =
      total == 0
      ? "<p>\(words("import.reading"))</p>"
      : """
      <p>\(words("import.progress", numbers.text(done), numbers.text(total)))</p><progress value="\(done)" max="\(total)">\(done)</progress>
      """
    return layout("<div role=\"status\">\(bar)</div>", refresh: true)
  }

  /// The page after the import.
  var ended: HTML {
    let outcome = draft.outcome ?? [:]
    guard draft.state == "done" else {
      return layout(
        "<div class=\"empty\"><p>\(words("import.given-up"))</p><p><a class=\"button\" href=\"\(link: visit.place("imports", "new", query: [("type", type.name)]))\">\(words("import.new"))</a></p></div>"
      )
    }
    func count(_ name: String) -> Int { Int(outcome[name]?.number?.integer ?? 0) }
    let undo: HTML =
      outcome["number"]?.number?.integer.map {
        "<a class=\"button\" href=\"\(link: visit.place("imports", "\($0)", "undo"))\">\(words("import.undo"))</a>"
      } ?? .none
    return layout(
      """
      <section class="card"><h2>\(words("import.done"))</h2>\(counts(
        imported: count("imported"),
        updated: count("updated") + count("completed"),
        same: count("alreadyThere"),
        differing: count("differing"),
        differingLines: (outcome["differingLines"]?.array ?? []).compactMap {
          $0.number?.integer.map { Int($0) }
        },
        refused: count("refused"),
        created: outcome["created"]?.object?.members.map { ($0.key, Int($0.value.number?.integer ?? 0)) } ?? []
      ))
      \(count("refused") > 0 && draft.hasContent ? refusedFile : .none)
      <div class="buttons"><a class="button primary" href="\(link: visit.place(of: type))">\(words("import.show", terms.innerPlural))</a>\(undo)</div></section>
      """
    )
  }

  private func counts(
    imported: Int,
    updated: Int,
    same: Int,
    differing: Int,
    differingLines: [Int],
    refused: Int,
    created: [(String, Int)]
  ) -> HTML {
    var lines: [HTML] = ["<li>\(words.count("import.count.new", imported))</li>"]
    if updated > 0 { lines.append("<li>\(words.count("import.count.changed", updated))</li>") }
    if same > 0 { lines.append("<li>\(words.count("import.count.same", same))</li>") }
    if differing > 0 {
      let shown = differingLines.prefix(5).map { "\($0)" }.joined(separator: ", ")
      let text = words.count("import.count.differing", differing, differing > 5 ? "\(shown)…" : shown)
      lines.append("<li class=\"bad\">\(text)</li>")
    }
    for (name, count) in created {
      let other = frame.types.first { $0.name == name }
      let label = other.map { TypeWords($0, words).plural } ?? name
      lines.append("<li>\(words("import.count.other", label, NumberText(words.language).text(count)))</li>")
    }
    if refused > 0 { lines.append("<li class=\"bad\">\(words.count("import.count.refused", refused))</li>") }
    return "<ul class=\"plain-list\">\(lines)</ul>"
  }

  // MARK: Before the import

  func html(_ trial: ImportTrial, _ choices: ImportChoices) -> HTML {
    let reason = terms.said(draft.outcome?["message"]?.string ?? "", types: frame.types)
    let failed: HTML =
      draft.state == "failed" && fault == nil ? Notice.bar(words("import.failed", reason), "bad") : .none
    let problem: HTML =
      trial.fault.map { error -> HTML in
        let hint =
          ImportHint.text(error, words).map { " <span class=\"quiet\">\($0)</span>" as HTML } ?? .none
        return "<div class=\"summary\" role=\"alert\"><p>\(ImportHint.message(error, terms))\(hint)</p></div>"
      } ?? .none
    return layout(
      """
      \(failed)\(problem)
      <form method="post" action="\(link: place)">
      \(trial.outcome.map { result($0, trial, choices) } ?? .none)
      \(columnFields(trial, choices))
      \(wordFields(trial, choices))
      \(otherFields(trial, choices))
      <div class="buttons">\(check)</div>
      </form>
      """
    )
  }

  /// What the import would do, the button that does it, and the first lines.
  private func result(_ outcome: ImportOutcome, _ trial: ImportTrial, _ choices: ImportChoices) -> HTML {
    let refused: HTML =
      outcome.refused.isEmpty
      ? .none
      : """
      <h3>\(words("import.refused"))</h3><ul class="rows">\(reasons(outcome.refused))</ul>\(createBox(choices))
      \(refusedFile)
      """
    let unread: HTML =
      outcome.unread.isEmpty ? .none : "<p>\(words.count("import.unread", outcome.unread.count))</p>"
    let equal: HTML =
      outcome.equal.isEmpty ? .none : "<p>\(words.count("import.equal", outcome.equal.count))</p>"
    let leftOut: HTML =
      outcome.form.leftOut == 0 ? .none : "<p>\(words.count("import.left_out", outcome.form.leftOut))</p>"
    let shifted: HTML =
      outcome.shifted.first.map { value -> HTML in
        "<p class=\"bad\">\(words("import.shifted", "\(value.line)", value.name))</p>"
      } ?? .none
    let count = outcome.imported + outcome.updated + outcome.completed
    let label =
      outcome.refused.isEmpty
      ? words.count("import.go", count)
      : words.count("import.go.rest", count, NumberText(words.language).text(outcome.refused.count))
    let button: HTML =
      trial.isUseful
      ? "<button class=\"button primary\" type=\"submit\" name=\"go\" value=\"\(outcome.refused.isEmpty ? "import" : "rest")\">\(label)</button>"
      : .none
    return """
      <section class="card"><h2>\(words("import.trial"))</h2><p class="quiet">\(words("import.trial.text"))</p>
      \(counts(
        imported: outcome.imported,
        updated: outcome.updated + outcome.completed,
        same: outcome.alreadyThere,
        differing: outcome.differing.count,
        differingLines: outcome.differing,
        refused: outcome.refused.count,
        created: outcome.created.sorted { $0.key < $1.key }
      ))\(leftOut)\(unread)\(equal)\(shifted)\(refused)<div class="buttons">\(button)\(outcome.refused.isEmpty ? .none : check)</div></section>
      \(lines(trial))
      """
  }

  private var refusedFile: HTML {
    "<p><a href=\"\(link: place.below("refused"))\" download>\(words("import.refused.file"))</a></p>"
  }

  private var check: HTML {
    "<button class=\"button\" type=\"submit\" name=\"go\" value=\"check\">\(words("import.check"))</button>"
  }

  /// The reasons of refusals, each with its lines, the most frequent first.
  private func reasons(_ refused: [RefusedLine]) -> [HTML] {
    let moments = Moments(frame)
    let groups = Dictionary(grouping: refused) {
      moments.within(terms.said(ImportHint.reason($0.reason), types: frame.types))
    }
    let ordered = groups.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    let shown = ordered.prefix(10).map { reason, lines -> HTML in
      let numbers = lines.prefix(5).map { "\($0.line)" }.joined(separator: ", ")
      let more = lines.count > 5 ? "…" : ""
      let count = words.count("import.lines.count", lines.count)
      return "<li>\(own: reason) <span class=\"quiet\">\(count): \(numbers)\(more)</span></li>"
    }
    guard ordered.count > 10 else { return shown }
    return shown + ["<li>\(words.count("import.reasons", ordered.count - 10))</li>"]
  }

  private func createBox(_ choices: ImportChoices) -> HTML {
    """
    <label class="radio"><input type="checkbox" name="create_missing"\(flag: "checked", if: choices.createsMissing)>\(words("import.create_missing"))</label>
    """
  }

  private func lines(_ trial: ImportTrial) -> HTML {
    guard !trial.lines.isEmpty else { return .none }
    let head = trial.columns.map { column -> HTML in
      value.isNumber(column)
        ? "<th scope=\"col\" class=\"number\">\(terms.column(column))</th>"
        : "<th scope=\"col\">\(terms.column(column))</th>"
    }
    let rows = trial.lines.map { line -> HTML in
      let cells = zip(trial.columns, line.cells).map { column, cell -> HTML in
        let shown = cell.map { shownCell(column, $0) } ?? .none
        return value.isNumber(column)
          ? "<td class=\"number\" data-label=\"\(terms.column(column))\">\(shown)</td>"
          : "<td data-label=\"\(terms.column(column))\">\(shown)</td>"
      }
      return "<tr><th scope=\"row\">\(line.number)</th>\(cells)</tr>"
    }
    return """
      <details class="card" open><summary>\(words("import.lines", "\(trial.lines.count)"))</summary><div class="scroll" role="region" aria-label="\(words("import.lines", "\(trial.lines.count)"))" tabindex="0"><table class="list items"><thead><tr><th scope="col">\(words("import.row"))</th>\(head)</tr></thead><tbody>\(rows)</tbody></table></div></details>
      """
  }

  private func shownCell(_ column: String, _ text: String) -> HTML {
    guard type.referenceTargets.allSatisfy({ $0.column != column }) else { return "\(own: text)" }
    return "\(own: value.text(column, .string(text)))"
  }

  private func columnFields(_ trial: ImportTrial, _ choices: ImportChoices) -> HTML {
    guard !trial.headings.isEmpty else { return .none }
    let columns = ImportProposal.columns(of: type)
    let fields = trial.headings.enumerated().map { index, heading -> HTML in
      let chosen = choices.columns[heading] ?? ""
      let options = columns.map { Select.option($0, terms.column($0), isChosen: $0 == chosen) }
      let notation: HTML =
        trial.notation[chosen].flatMap(found).map { "<p class=\"hint\">\($0)</p>" } ?? .none
      return """
        <div class="field"><label for="c-\(index)">\(own: heading)</label><select id="c-\(index)" name="c.\(heading)"><option value="">\(words("import.ignore"))</option>\(options)</select>\(notation)</div>
        """
    }
    return """
      <section class="card"><h2>\(words("import.columns"))</h2><p class="quiet">\(words("import.columns.text"))</p><div class="pair">\(fields)\(stateField(choices))</div></section>
      """
  }

  /// The state of all records, for a file that does not say one: a history is completed work, not new work.
  private func stateField(_ choices: ImportChoices) -> HTML {
    guard let workflow = type.workflow, !choices.columns.values.contains("status"),
      ImportProposal.columns(of: type).contains("status")
    else { return .none }
    let chosen = choices.fixed["status"] ?? ""
    let states = workflow.states.map {
      Select.option($0.name, terms.state($0.name), isChosen: $0.name == chosen)
    }
    return """
      <div class="field"><label for="set-status">\(words("import.state"))</label><select id="set-status" name="set.status"><option value="">\(words("import.state.new"))</option>\(states)</select></div>
      """
  }

  /// What was found out of the notation of a column; nil if there is nothing to say.
  private func found(_ notation: ColumnNotation) -> String? {
    if let dates = notation.dates { return words("import.found.dates", "\(dates)") }
    return notation.decimal == .comma ? words("import.found.comma") : nil
  }

  /// Words of the file that a field does not know, each with what it means.
  private func wordFields(_ trial: ImportTrial, _ choices: ImportChoices) -> HTML {
    var fields = ImportForm.words(choices)
    for word in trial.outcome?.refused.compactMap(\.word) ?? []
    where !fields.contains(where: { $0.name.lowercased() == word.lowercased() }) && fields.count < 40 {
      fields.append((word, ""))
    }
    guard !fields.isEmpty else { return emptyBoxes(trial, choices) }
    let empties = emptyBoxes(trial, choices)
    let shown = fields.enumerated().map { index, field -> HTML in
      let colon = field.name.firstIndex(of: ":") ?? field.name.endIndex
      let column = String(field.name[..<colon])
      let word = String(field.name[colon...].dropFirst())
      let options = known(column).map { Select.option($0.0, $0.1, isChosen: $0.0 == field.meaning) }
      let input: HTML =
        options.isEmpty
        ? "<input id=\"word-\(index)\" name=\"word.\(field.name)\" maxlength=\"200\" value=\"\(field.meaning)\">"
        : "<select id=\"word-\(index)\" name=\"word.\(field.name)\"><option value=\"\">\(words("form.choose"))</option>\(options)</select>"
      return """
        <div class="field"><label for="word-\(index)">\(terms.column(column)): “\(own: word)”</label>\(input)</div>
        """
    }
    return """
      <section class="card"><h2>\(words("import.words"))</h2><p class="quiet">\(words("import.words.text"))</p><div class="pair">\(shown)</div>\(empties)</section>
      """
  }

  /// For each column with values that cannot be read, whether it stays empty there.
  private func emptyBoxes(_ trial: ImportTrial, _ choices: ImportChoices) -> HTML {
    let unreadable = Set(trial.outcome?.refused.compactMap(\.unreadable) ?? []).union(
      choices.emptyIfUnreadable
    )
    return .joined(
      unreadable.sorted().map { column -> HTML in
        """
        <label class="radio"><input type="checkbox" name="empty" value="\(column)"\(flag: "checked", if: choices.emptyIfUnreadable.contains(column))>\(words("import.empty", terms.column(column)))</label>
        """
      }
    )
  }

  /// The values of a field with few of them.
  private func known(_ column: String) -> [(String, String)] {
    if column == "status" { return (type.workflow?.states ?? []).map { ($0.name, terms.state($0.name)) } }
    let codes = terms.codes(column)
    if !codes.isEmpty { return codes.map { ($0.value, $0.label) } }
    return []
  }

  private func otherFields(_ trial: ImportTrial, _ choices: ImportChoices) -> HTML {
    func select(_ name: String, _ current: String?, _ options: [(String, String)]) -> HTML {
      """
      <div class="field"><label for="\(name)">\(words("import.\(name)"))</label><select id="\(name)" name="\(name)"><option value="">\(words("import.find"))</option>\(options.map { Select.option($0.0, $0.1, isChosen: $0.0 == current) })</select></div>
      """
    }
    func line(_ name: String, _ current: String?) -> HTML {
      """
      <div class="field"><label for="\(name)">\(words("import.\(name)")) <span class="optional">\(words("form.optional"))</span></label><input id="\(name)" name="\(name)" class="short" inputmode="numeric" value="\(current ?? "")"></div>
      """
    }
    let filled = Set(choices.columns.values)
    let fixable = ImportProposal.columns(of: type).filter { column in
      !filled.contains(column) && !(column == "status" && type.workflow != nil)
    }
    let fixed = fixable.map { column -> HTML in
      """
      <div class="field"><label for="set-\(column)">\(terms.column(column))</label><input id="set-\(column)" name="set.\(column)" maxlength="1000" value="\(choices.fixed[column] ?? "")"></div>
      """
    }
    let signs = ["comma", "point"].map { ($0, words("import.sign.\($0)")) }
    let groups = ["comma", "point", "space", "apostrophe", "none"].map { ($0, words("import.sign.\($0)")) }
    let formats = ["yyyy-mm-dd", "dd/mm/yyyy", "mm/dd/yyyy", "dd.mm.yyyy"].map { ($0, $0) }
    let isAsked = trial.outcome?.refused.isEmpty == false
    let isOpen = trial.fault != nil || choices.fixed.contains { $0.key != "status" }
    return """
      \(isAsked ? .none : createBox(choices))
      <details class="card"\(flag: "open", if: isOpen)><summary>\(words("import.more"))</summary>
      <div class="pair">\(select("decimal", choices.decimal, signs))\(select("thousands", choices.thousands, groups))\(select("dates", choices.dates, formats))\(select("delimiter", choices.delimiter, ["comma", "semicolon", "tab", "pipe"].map { ($0, words("import.sign.\($0)")) }))\(select("encoding", choices.encoding, FileEncoding.allCases.map { ($0.rawValue, $0.rawValue) }))\(line("heading_line", choices.headingLine))\(line("last_line", choices.lastLine))</div>
      <h3>\(words("import.fixed"))</h3><div class="pair">\(fixed)</div></details>
      """
  }
}
