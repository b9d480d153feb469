internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// A form that makes a workflow stricter for one company. It has no field that could loosen it.
struct OverlayForm {
  let page: WorkflowPage
  /// What is stricter now; nil for nothing.
  let present: WorkflowOverlay?

  init(_ page: WorkflowPage, _ present: WorkflowOverlay?) {
    self.page = page
    self.present = present
  }

  private var words: Words { page.words }

  /// The transitions that people choose. The followed definition already has what the overlay adds.
  private var transitions: [WorkflowTransition] { page.workflow.transitions.filter { $0.by == .person } }

  /// The columns that a transition can require: those that people fill in.
  private var columns: [String] {
    let type = page.type
    return type.definition.editable.filter { column in
      type.column(column) != nil && type.referenceTargets.allSatisfy { $0.column != column }
    }
  }

  func html(_ form: FormBody?, fault: DomainError?) -> HTML {
    let parts = transitions.map { part($0, form) }
    let timers = page.workflow.states.flatMap { state in state.timers.map { timer(state, $0, form) } }
    let times: HTML = timers.isEmpty ? .none : "<h2>\(words("overlay.times"))</h2>\(timers)"
    let place = page.place.below("overlay")
    let remove: HTML =
      present == nil
      ? .none : ActionButton.html(place.below("remove"), words("overlay.remove"), isDanger: true)
    return page.layout(
      title: words("overlay.title", page.terms.innerPlural),
      fault: fault,
      """
      <p class="lead">\(words("overlay.text"))</p>
      <form class="form" method="post" action="\(link: place)">\(parts)\(times)
      <div class="buttons"><button class="button primary" type="submit">\(words("form.save"))</button><a class="button" href="\(link: page.place)">\(words("form.cancel"))</a></div></form>\(remove)
      """
    )
  }

  private func part(_ transition: WorkflowTransition, _ form: FormBody?) -> HTML {
    let name = transition.name
    let own = present?.transitions.first { $0.name == name }
    let isOff = form.map { $0["off.\(name)"] == "on" } ?? (own?.isDisabled == true)
    let comment = form?["comment.\(name)"] ?? own?.require.commentMinimum.map { "\($0)" } ?? ""
    let chosen = Set(form?.all("field.\(name)") ?? own?.require.fields ?? [])
    let base = transition.require.fields.filter { !(own?.require.fields ?? []).contains($0) }
    let fields = columns.map { column -> HTML in
      let isGiven = base.contains(column)
      return """
        <label class="radio"><input type="checkbox" name="field.\(name)" value="\(column)"\(flag: "checked", if: isGiven || chosen.contains(column))\(flag: "disabled", if: isGiven)>\(page.terms.column(column))</label>
        """
    }
    let label = form?["label.\(name)"] ?? present?.labels.first { $0.name == name }?.label ?? ""
    return """
      <fieldset class="card"><legend>\(page.terms.transition(name))</legend>
      <label class="radio"><input type="checkbox" name="off.\(name)"\(flag: "checked", if: isOff)>\(words("overlay.off"))</label>
      <div class="pair"><div class="field"><label for="comment-\(name)">\(words("overlay.comment"))</label><input id="comment-\(name)" name="comment.\(name)" class="short" inputmode="numeric" value="\(comment)"></div>
      <div class="field"><label for="label-\(name)">\(words("overlay.label")) <span class="optional">\(words("form.optional"))</span></label><input id="label-\(name)" name="label.\(name)" maxlength="100" value="\(label)"></div></div>
      \(fields.isEmpty ? .none : "<details\(flag: "open", if: !chosen.isEmpty)><summary>\(words("overlay.fields"))</summary>\(fields)</details>")
      </fieldset>
      """
  }

  private func timer(_ state: WorkflowState, _ timer: TimerDefinition, _ form: FormBody?) -> HTML {
    let id = "after.\(state.name).\(timer.fire)"
    let own = present?.states.first { $0.name == state.name }?.timers.first { $0.fire == timer.fire }
    let value = form?[id] ?? own?.delay.map { "\($0)" } ?? ""
    return """
      <div class="field"><label for="\(id)">\(page.terms.state(state.name)): \(page.terms.transition(timer.fire))</label><p class="hint" id="hint-\(id)">\(words("overlay.time.hint", "\(timer.delay)"))</p><input id="\(id)" name="\(id)" class="short" aria-describedby="hint-\(id)" value="\(value)"></div>
      """
  }

  /// Returns what the form says.
  ///
  /// - Throws: `invalid_input` for a number or a duration that is none.
  func overlay(_ form: FormBody) throws -> WorkflowOverlay {
    let tightened = try transitions.compactMap { transition -> TightenedTransition? in
      let name = transition.name
      let own = present?.transitions.first { $0.name == name }
      let least = try form.text("comment.\(name)").map { text in
        guard let number = Int(text), (1...10_000).contains(number) else {
          throw DomainError(.invalidNumber, "\(Quoted(text)) is not a number of characters")
        }
        return number
      }
      let fields = form.all("field.\(name)").filter(columns.contains)
      let isOff = form["off.\(name)"] == "on"
      guard least != nil || !fields.isEmpty || isOff || own?.guards.isEmpty == false else { return nil }
      return TightenedTransition(
        name: name,
        // What a file has added stays; the form does not show it.
        guards: own?.guards ?? [],
        require: Requirements(fields: fields, commentMinimum: least),
        isDisabled: isOff ? true : nil
      )
    }
    let states = try page.workflow.states.compactMap { state -> TightenedState? in
      let timers = try state.timers.compactMap { timer -> TightenedTimer? in
        let own = present?.states.first { $0.name == state.name }?.timers.first { $0.fire == timer.fire }
        let delay = try form.text("after.\(state.name).\(timer.fire)").map { try Delay(parsing: $0) }
        guard delay != nil || own?.interval != nil else { return nil }
        return TightenedTimer(fire: timer.fire, delay: delay, every: own?.interval)
      }
      return timers.isEmpty ? nil : TightenedState(name: state.name, timers: timers)
    }
    let shown = Set(transitions.map(\.name))
    let kept = (present?.labels ?? []).filter { !shown.contains($0.name) }
    let labels = shown.sorted().compactMap { name in
      form.text("label.\(name)").map { WorkflowOverlay.Relabelling(name: name, label: $0) }
    }
    return WorkflowOverlay(
      workflow: page.type.name,
      version: page.workflow.version,
      transitions: tightened,
      states: states,
      labels: (kept + labels).sorted { $0.name < $1.name }
    )
  }
}
