internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal
internal import Web

/// A form with the file of a workflow of the company's own, and what it would become.
struct OwnWorkflowForm {
  let page: WorkflowPage
  let text: String
  /// The workflow as it would be; nil before it was checked.
  var preview: WorkflowDefinition?
  var fault: DomainError?

  init(_ page: WorkflowPage, text: String, preview: WorkflowDefinition? = nil, fault: DomainError? = nil) {
    self.page = page
    self.text = text
    self.preview = preview
    self.fault = fault
  }

  /// Returns a workflow as the file from which an own version is made.
  static func text(_ definition: WorkflowDefinition) throws -> String {
    YAMLDocumentText.encode(Cell(try WorkflowDocument.object(of: definition)))
  }

  /// Reads the file.
  ///
  /// - Throws: `invalid_document` with the line, and for the workflow of another type.
  static func read(_ text: String, of name: String) throws -> WorkflowDefinition {
    let definition = try ManifestReader.readWorkflow(text, document: "workflow")
    guard definition.name == name else {
      throw DomainError(.invalidDocument, "the workflow is one of \(definition.name), not of \(name)")
    }
    return definition
  }

  var html: HTML {
    let words = page.words
    let place = page.place.below("own")
    let shown: HTML =
      preview.map { definition -> HTML in
        let rows = definition.transitions.map { transition -> HTML in
          let from = transition.from.map { definition.state($0)?.label ?? $0 }.joined(separator: ", ")
          return """
            <tr><th scope="row">\(own: transition.label)</th><td data-label="\(words("own.from"))">\(own: from)</td><td data-label="\(words("own.to"))">\(own: definition.state(transition.to)?.label ?? transition.to)</td></tr>
            """
        }
        return """
          <section class="card"><h2>\(words("own.preview"))</h2><p>\(words("own.preview.text"))</p>
          <div class="scroll" role="region" aria-label="\(words("own.preview"))" tabindex="0"><table class="list"><thead><tr><th scope="col">\(words("bulk.action"))</th><th scope="col">\(words("own.from"))</th><th scope="col">\(words("own.to"))</th></tr></thead><tbody>\(rows)</tbody></table></div>
          <form method="post" action="\(link: place)">\(hidden("text", text))\(hidden("confirmed", "true"))<div class="buttons"><button class="button primary" type="submit">\(words("own.install"))</button></div></form></section>
          """
      } ?? .none
    return page.layout(
      title: words("own.title", page.terms.innerPlural),
      fault: fault,
      """
      <p class="lead">\(words("own.text"))</p>\(shown)
      <form method="post" action="\(link: place)"><div class="field"><label for="text">\(words("own.file"))</label><textarea id="text" name="text" class="file" rows="30" spellcheck="false" maxlength="200000" required>\(text)</textarea></div>
      <div class="buttons"><button class="button" type="submit">\(words("own.check"))</button><a class="button" href="\(link: page.place)">\(words("form.cancel"))</a></div></form>
      """
    )
  }
}
