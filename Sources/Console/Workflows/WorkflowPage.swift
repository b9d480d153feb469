internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The workflow of a record type as the company follows it: states, and how work moves between them.
struct WorkflowPage {
  let visit: Visit
  let frame: ScreenFrame
  let type: RecordType
  let workflow: WorkflowDefinition

  var words: Words { Words.of(frame.language) }
  var terms: TypeWords { TypeWords(type, words) }
  private var value: ValueText { ValueText(visit, frame, type, .none) }

  /// Returns the page of a type's workflow.
  static func place(_ visit: Visit, _ type: RecordType) -> Place {
    Place(["c", visit.company.slug, "workflows"] + type.name.split(separator: ".").map(String.init))
  }

  var place: Place { Self.place(visit, type) }

  /// Returns the page.
  ///
  /// - Parameter summary: the versions; nil for a person who may not see them.
  func html(_ summary: WorkflowSummary?, key: String, fault: DomainError?) -> HTML {
    let picture = place.below("picture.svg")
    return layout(
      title: words("workflow.title", terms.label),
      fault: fault,
      """
      <p class="quiet">\(words("workflow.version", "\(workflow.version)"))</p>
      <div class="scroll picture" role="region" aria-label="\(words("workflow.picture"))" tabindex="0"><img src="\(link: picture)" alt="\(words("workflow.picture.text"))"></div>
      \(summary.map { management($0, key: key) } ?? .none)
      <h2>\(words("workflow.states"))</h2>
      <div class="today">\(workflow.states.map(section))</div>
      """
    )
  }

  /// Returns a page about the workflow.
  func layout(title: String, fault: DomainError? = nil, _ content: HTML) -> HTML {
    let error: HTML =
      fault.map { error -> HTML in
        let findings = error.details["findings"]?.array?.compactMap(\.object) ?? []
        let lines = findings.compactMap { finding -> HTML? in
          finding["message"]?.string.map { "<li><code>\(finding["path"]?.string ?? "")</code> \($0)</li>" }
        }
        let text = ErrorWords.text(error, words)
        return """
          <div class="summary" role="alert" tabindex="-1" id="summary"><p>\(text)</p><ul>\(lines)</ul></div>
          """
      } ?? .none
    return Layout.page(
      visit,
      frame,
      title: title,
      at: type.name,
      """
      <p class="crumb"><a href="\(link: visit.place(of: type))">\(terms.plural)</a></p>
      <h1>\(title)</h1>\(error)\(content)
      """
    )
  }

  private func section(_ state: WorkflowState) -> HTML {
    let leaving = workflow.transitions.filter {
      $0.from.contains(state.name) && !$0.isReminder(from: state.name)
    }
    let moves = leaving.map { transition -> HTML in
      let system: HTML =
        transition.by == .system ? " <span class=\"quiet\">\(words("workflow.system"))</span>" : .none
      let off: HTML =
        transition.isDisabled ? " <span class=\"quiet\">\(words("workflow.off"))</span>" : .none
      return """
        <li><strong>\(terms.transition(transition.name))</strong> → \(value.pill(transition.to))\(system)\(off)\(needs(transition))</li>
        """
    }
    let first: HTML =
      state.name == workflow.initial ? " <span class=\"quiet\">\(words("workflow.first"))</span>" : .none
    let end: HTML =
      moves.isEmpty ? "<p class=\"quiet\">\(words("workflow.end"))</p>" : "<ul class=\"rows\">\(moves)</ul>"
    return "<section class=\"card\"><h2>\(value.pill(state.name))\(first)</h2>\(end)</section>"
  }

  /// What a transition asks for.
  private func needs(_ transition: WorkflowTransition) -> HTML {
    var needs = transition.require.fields.map { terms.column($0) }
    if transition.require.commentMinimum != nil { needs.append(words("transition.comment")) }
    guard !needs.isEmpty else { return .none }
    return "<p class=\"facts\"><span>\(words("workflow.needs", needs.joined(separator: ", ")))</span></p>"
  }

  /// The versions, and the ways to change what is followed.
  private func management(_ summary: WorkflowSummary, key: String) -> HTML {
    let mayActivate = frame.may("workflow.activate")
    let rows = summary.versions.map { version -> HTML in
      let isFollowed = version == workflow.version
      let action: HTML =
        mayActivate && !isFollowed
        ? ActionButton.html(
          place.below("activate"),
          words("workflow.activate"),
          of: "\(version)",
          fields: [("version", "\(version)")]
        ) : .none
      let mark: HTML =
        isFollowed
        ? Pill.html(words("workflow.followed"), .done)
        : summary.next == version ? Pill.html(words("workflow.moving"), .active) : .none
      return "<li>\(words("workflow.version", "\(version)")) \(mark) \(action)</li>"
    }
    var links: [HTML] = []
    if frame.may("workflow.overlay") {
      links.append(
        "<a class=\"button\" href=\"\(link: place.below("overlay"))\">\(words("overlay.open"))</a>"
      )
    }
    if mayActivate {
      links.append("<a class=\"button\" href=\"\(link: place.below("own"))\">\(words("own.open"))</a>")
    }
    let tightened: HTML =
      summary.isTightened ? "<p>\(Pill.html(words("workflow.tightened"), .active))</p>" : .none
    return """
      <section class="card"><h2>\(words("workflow.versions"))</h2><ul class="rows">\(rows)</ul>\(tightened)<div class="buttons">\(links)</div></section>
      """
  }

  /// What an activation would do, with the form that confirms it.
  func preview(_ outcome: Activation, version: Int, key: String) -> HTML {
    let rows = outcome.plan.lines.map { line -> HTML in
      let fate: HTML =
        switch line.fate {
        case .stays: "\(words("activation.stays"))"
        case .moves(let to): "→ \(value.pill(to))"
        case .lost: "<span class=\"bad\">\(words("activation.lost"))</span>"
        }
      return """
        <tr><th scope="row">\(value.pill(line.status))</th><td class="number" data-label="\(words("activation.count"))">\(NumberText(words.language).text(line.count))</td><td>\(fate)</td></tr>
        """
    }
    let title = words("activation.title", "\(version)")
    return layout(
      title: title,
      """
      <p class="lead">\(words("activation.text"))</p>
      <div class="scroll" role="region" aria-label="\(title)" tabindex="0"><table class="list"><thead><tr><th scope="col">\(terms.column("status"))</th><th scope="col" class="number">\(words("activation.count"))</th><th scope="col">\(words("bulk.result"))</th></tr></thead><tbody>\(rows)</tbody></table></div>
      <form class="form" method="post" action="\(link: place.below("activate"))">\(hidden("version", "\(version)"))\(hidden("confirmed", "true"))
      <div class="buttons"><button class="button primary" type="submit">\(words("activation.go", "\(version)"))</button><a class="button" href="\(link: place)">\(words("form.cancel"))</a></div></form>
      """
    )
  }
}
