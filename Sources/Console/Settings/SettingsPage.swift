internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// A page about the company itself, with links to the others of its kind.
struct SettingsPage {
  /// The sections in order, each with the permission that opens it.
  private static let sections = [
    ("company", "company.read"), ("roles", "role.read"), ("workflows", "workflow.read"),
    ("webhooks", "webhook.read"), ("jobs", "job.read"), ("devices", "member.read"), ("audit", "audit.read"),
  ]

  let visit: Visit
  let frame: ScreenFrame
  let words: Words
  let moments: Moments

  init(_ visit: Visit, _ frame: ScreenFrame) {
    self.visit = visit
    self.frame = frame
    words = Words.of(frame.language)
    moments = Moments(frame)
  }

  /// Returns the first section that the person may open; nil for none.
  static func first(_ frame: ScreenFrame) -> String? { sections.first { frame.may($0.1) }?.0 }

  /// Returns a place below a section.
  func place(_ section: String, _ segments: String..., query: [(name: String, value: String)] = []) -> Place {
    Place(["c", visit.company.slug, "settings", section] + segments, query: query)
  }

  /// Returns the page.
  ///
  /// - Parameters:
  ///   - title: the heading; nil for that of the section.
  ///   - actions: the buttons beside the heading.
  ///   - fault: what went wrong with the form that was sent.
  func html(
    _ section: String,
    title: String? = nil,
    actions: HTML = .none,
    fault: DomainError? = nil,
    _ content: HTML
  ) -> HTML {
    let heading = title ?? words("settings.\(section)")
    let tabs = Self.sections.filter { frame.may($0.1) }.map { name, _ -> HTML in
      name == section
        ? "<li><a href=\"\(link: place(name))\" aria-current=\"true\">\(words("settings.\(name)"))</a></li>"
        : "<li><a href=\"\(link: place(name))\">\(words("settings.\(name)"))</a></li>"
    }
    let error: HTML = fault.map { AccountPages.summary(ErrorWords.text($0, words), words) } ?? .none
    return Layout.page(
      visit,
      frame,
      title: heading,
      at: "settings",
      """
      <nav class="tabs" aria-label="\(words("settings.title"))"><ul>\(tabs)</ul></nav>
      <div class="head"><h1>\(heading)</h1><div class="actions">\(actions)</div></div>
      \(error)\(content)
      """
    )
  }

  /// Returns the link to the next page of a list.
  func pager(_ section: String, _ next: String?, query: [(name: String, value: String)] = []) -> HTML {
    guard let next else { return .none }
    return """
      <nav class="pager" aria-label="\(words("list.pages"))"><a class="button" href="\(link: place(section, query: query + [("after", next)]))">\(words("list.next"))</a></nav>
      """
  }
}

extension Console {
  var settingsRoutes: [Route] {
    companyRoutes + roleRoutes + webhookRoutes + jobRoutes + deviceRoutes + auditRoutes
  }

  /// What the API lists: the items of a page, and the cursor of the next one.
  func items(_ path: [String], query: [(name: String, value: String)] = [], _ visit: Visit) async throws
    -> (items: [JSONObject], next: String?)
  {
    let answer = try await inner.send(.get, path, query: query, for: visit.request).object
    return (answer["items"]?.array?.compactMap(\.object) ?? [], answer["next"]?.string)
  }

  /// Runs a change and leads to a place, or shows the page again with what was wrong.
  func change(
    _ visit: Visit,
    to place: Place,
    again: (DomainError) async throws -> HTML,
    _ body: () async throws -> Void
  ) async throws -> APIAnswer {
    do {
      try await body()
      return .see(place)
    } catch let error as DomainError where error.isAboutInput {
      return .page(try await again(error), status: 422)
    }
  }
}
