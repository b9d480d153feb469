internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The workflows of a company: as a picture and a table, their versions, and what the company makes stricter.
extension Console {
  var workflowRoutes: [Route] {
    let one = "/workflows/{app}/{type}"
    return [
      inside(.get, "/settings/workflows", workflows(_:)),
      inside(.get, one) { .page(try await workflow($0), for: $0.request) },
      inside(.get, "\(one)/picture.svg", picture(_:)),
      inside(.post, "\(one)/activate", activate(_:)),
      inside(.get, "\(one)/overlay") { .page(try await overlay($0), for: $0.request) },
      inside(.post, "\(one)/overlay", tighten(_:)), inside(.post, "\(one)/overlay/remove", loosen(_:)),
      inside(.get, "\(one)/own") { .page(try await own($0), for: $0.request) },
      inside(.post, "\(one)/own", install(_:)),
    ]
  }

  private func workflows(_ visit: Visit) async throws -> APIAnswer {
    let page = SettingsPage(visit, try await screens.frame(visit.acting))
    let words = page.words
    let (items, _) = try await items(["v1", "workflows"], visit)
    func type(_ item: JSONObject) -> RecordType? {
      page.frame.types.first { $0.name == item["workflow"]?.string }
    }
    let table = ItemTable(
      label: words("settings.workflows"),
      columns: [
        .init(words("workflow.of")) { item in
          guard let type = type(item) else { return .none }
          let label = "\(TypeWords(type, words).app): \(TypeWords(type, words).plural)"
          return "<a href=\"\(link: WorkflowPage.place(visit, type))\">\(label)</a>"
        },
        .init(words("workflow.states"), isNumber: true) { "\($0["states"]?.array?.count ?? 0)" },
        .init(words("workflow.number"), isNumber: true) { "\($0["version"]?.number?.integer ?? 0)" },
        .init(words("people.state")) { item in
          let newest = item["newest"]?.number?.integer
          if item["moving_to"]?.number != nil { return Pill.html(words("workflow.moving"), .active) }
          if newest != item["version"]?.number?.integer {
            return Pill.html(words("workflow.newer"), .open)
          }
          return item["tightened"]?.bool == true
            ? Pill.html(words("workflow.tightened"), .active) : Pill.html(words("workflow.current"), .done)
        },
      ],
      items: items.filter { type($0) != nil },
      empty: "<p>\(words("workflow.none"))</p>"
    )
    let html = page.html("workflows", "<p class=\"quiet\">\(words("workflow.text"))</p>\(table.html)")
    return .page(html, for: visit.request)
  }

  /// Returns a record type with a workflow, and the page's frame.
  func workflowPage(_ visit: Visit, key: String = "") async throws -> WorkflowPage {
    let frame = try await screens.frame(visit.acting)
    let type = try frame.type(try visit.typeName())
    guard let workflow = type.workflow else { throw DomainError(.notFound) }
    return WorkflowPage(visit: visit, frame: frame, type: type, workflow: workflow)
  }

  var flows: Workflows { Workflows(services, records) }

  private func workflow(_ visit: Visit, fault: DomainError? = nil) async throws -> HTML {
    let page = try await workflowPage(visit)
    guard page.frame.may("workflow.read") else { return page.html(nil, key: newKey(), fault: fault) }
    let summary = try await flows.show(page.type.name, visit.acting)
    return page.html(summary, key: newKey(), fault: fault)
  }

  /// The workflow as a picture, with the labels of the person's language.
  private func picture(_ visit: Visit) async throws -> APIAnswer {
    let page = try await workflowPage(visit)
    let labels =
      page.workflow.states.map {
        WorkflowOverlay.Relabelling(name: $0.name, label: page.terms.state($0.name))
      }
      + page.workflow.transitions.map {
        WorkflowOverlay.Relabelling(name: $0.name, label: page.terms.transition($0.name))
      }
    let overlay = WorkflowOverlay(workflow: page.type.name, version: page.workflow.version, labels: labels)
    let svg = WorkflowSVG.picture(page.workflow.tightened(by: overlay))
    let headers: APIHeaders = [
      "content-type": "image/svg+xml", "cache-control": "private, no-cache",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    ]
    return APIAnswer(headers: headers, body: .bytes(Array(svg.utf8)))
  }

  /// Shows what an activation would do, and does it after it was confirmed.
  private func activate(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    let page = try await workflowPage(visit)
    guard let version = form.text("version").flatMap({ Int($0) }) else {
      throw DomainError(.invalidInput, "no version was chosen")
    }
    let isConfirmed = form["confirmed"] == "true"
    do {
      let outcome = try await flows.activate(
        visit.acting,
        type: page.type.name,
        version: version,
        dryRun: !isConfirmed
      )
      guard isConfirmed else { return .page(page.preview(outcome, version: version, key: newKey())) }
      return .see(WorkflowPage.place(visit, page.type))
    } catch let error as DomainError where error.isAboutInput {
      return .page(try await workflow(visit, fault: error), status: 422)
    }
  }

  // MARK: What the company makes stricter

  private func overlay(_ visit: Visit, _ form: FormBody? = nil, _ fault: DomainError? = nil) async throws
    -> HTML
  {
    let page = try await workflowPage(visit)
    guard page.frame.may("workflow.overlay") else { throw DomainError(.forbidden) }
    let name = page.type.name
    let present = try await flows.overlay(visit.acting, of: name)
    return OverlayForm(page, present).html(form, fault: fault)
  }

  private func tighten(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    let page = try await workflowPage(visit)
    return try await change(
      visit,
      to: WorkflowPage.place(visit, page.type),
      again: { try await overlay(visit, form, $0) }
    ) {
      let present = try await flows.overlay(visit.acting, of: page.type.name)
      try await flows.setOverlay(visit.acting, try OverlayForm(page, present).overlay(form))
    }
  }

  private func loosen(_ visit: Visit) async throws -> APIAnswer {
    let page = try await workflowPage(visit)
    return try await change(
      visit,
      to: WorkflowPage.place(visit, page.type),
      again: { try await overlay(visit, nil, $0) }
    ) { try await flows.removeOverlay(visit.acting, of: page.type.name) }
  }

  // MARK: A workflow of the company's own

  private func own(_ visit: Visit, _ form: FormBody? = nil, _ fault: DomainError? = nil) async throws -> HTML
  {
    let page = try await workflowPage(visit)
    guard page.frame.may("workflow.activate") else { throw DomainError(.forbidden) }
    let text: String
    if let written = form?["text"] {
      text = written
    } else {
      let number = visit.request.asked("version").flatMap { Int($0) }
      let summary = try await flows.show(page.type.name, visit.acting, version: number)
      text = try OwnWorkflowForm.text(summary.definition)
    }
    return OwnWorkflowForm(page, text: text, fault: fault).html
  }

  private func install(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    let page = try await workflowPage(visit)
    do {
      let definition = try OwnWorkflowForm.read(form["text"] ?? "", of: page.type.name)
      let isPreview = form["confirmed"] != "true"
      _ = try await flows.install(visit.acting, definition, dryRun: isPreview)
      guard isPreview else { return .see(WorkflowPage.place(visit, page.type)) }
      return .page(OwnWorkflowForm(page, text: form["text"] ?? "", preview: definition).html)
    } catch let error as DomainError where error.isAboutInput {
      return .page(try await own(visit, form, error), status: 422)
    }
  }
}
