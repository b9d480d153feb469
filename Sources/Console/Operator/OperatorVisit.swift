internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal
internal import Web

/// A request for a page of the operator's console, and what surrounds the page.
struct OperatorVisit: Sendable {
  /// The sections in order: the name, which is also the place.
  static let sections = [
    "overview", "queues", "jobs", "schedules", "workers", "companies", "audit", "verify", "sync",
  ]

  let request: APIRequest
  let words: Words
  let moments: Moments
  private let setting: OperatorConsole.Setting

  init(_ request: APIRequest, _ setting: OperatorConsole.Setting) {
    self.request = request
    self.setting = setting
    words = Words.of(request.acceptedLanguage)
    moments = Moments(words, by: setting.clock)
  }

  /// The number of rows of a page.
  static let rows = 50

  func asked(_ name: String) -> String? { request.asked(name) }

  /// Returns a number as people of the language write it.
  func number(_ number: some BinaryInteger) -> String {
    NumberText(words.language).text(decimal: "\(number)")
  }

  /// Returns a count; one that is not exact is at least so many, or at most for running jobs.
  func count(_ count: JobCounts.Count, isAtMost: Bool = false) -> String {
    guard !count.isExact else { return number(count.jobs) }
    return isAtMost ? words("operator.at-most", number(count.jobs)) : words("list.many", number(count.jobs))
  }

  /// Returns the time since an instant: `12 s`, `5 min`, `3 h`, `2 d`.
  func age(_ instant: Instant) -> String {
    let seconds = max(0, instant.microseconds(until: SessionGate.clock) / 1_000_000)
    let (unit, length): (String, Int64) =
      switch seconds {
      case ..<120: ("s", 1)
      case ..<7_200: ("min", 60)
      case ..<172_800: ("h", 3_600)
      default: ("d", 86_400)
      }
    return words("operator.age.\(unit)", number(seconds / length))
  }

  /// Returns the place of a section.
  static func place(_ section: String) -> Place { Place(section == "overview" ? [] : [section]) }

  /// Returns the page.
  ///
  /// - Parameters:
  ///   - section: the section to which the page belongs.
  ///   - title: the heading; nil for that of the section.
  ///   - crumb: the way back to a list.
  ///   - actions: the buttons beside the heading.
  ///   - fault: what went wrong with the form that was sent.
  ///   - seconds: after how many seconds a browser with scripts asks for the page again; nil for never.
  func html(
    _ section: String,
    title: String? = nil,
    crumb: HTML = .none,
    actions: HTML = .none,
    fault: DomainError? = nil,
    every seconds: Int? = nil,
    _ content: HTML
  ) -> HTML {
    let heading = title ?? words("operator.\(section)")
    let error: HTML = fault.map { AccountPages.summary(Self.text($0, words), words) } ?? .none
    let items = Self.sections.map { name -> HTML in
      name == section
        ? "<li><a href=\"\(link: Self.place(name))\" aria-current=\"page\">\(words("operator.\(name)"))</a></li>"
        : "<li><a href=\"\(link: Self.place(name))\">\(words("operator.\(name)"))</a></li>"
    }
    let live: HTML =
      seconds.map { seconds -> HTML in
        """
        <aside id="live" class="live" aria-label="\(words("live.on"))" data-seconds="\(seconds)" hidden><span class="quiet">\(words("live.on"))</span> <button type="button" class="button small" data-pause="\(words("live.pause"))" data-go="\(words("live.go"))">\(words("live.pause"))</button></aside>
        """
      } ?? .none
    let zone = setting.clock?.name ?? "UTC"
    let inside: HTML = """
      <a class="skip" href="#main">\(words("shell.skip"))</a>
      <header class="top">
      <a class="menu-button" href="#menu">\(Icon.menu)<span>\(words("shell.menu"))</span></a>
      <a class="brand" href="/">\(words("operator.title"))</a>
      <span class="quiet where">\(own: setting.database)</span>
      <form class="inline leave" method="post" action="/sign-out"><button class="button small" type="submit">\(words("operator.leave"))</button></form>
      </header>
      <div class="shell">
      <nav id="menu" class="side" aria-label="\(words("shell.sections"))">
      <a class="menu-close" href="#main">\(words("shell.close"))</a>
      <ul>\(items)</ul>
      </nav>
      <div class="page">\(live)
      <main id="main" tabindex="-1">
      \(crumb)<div class="head"><h1>\(heading)</h1>\(actions.isEmpty ? .none : "<div class=\"actions\">\(actions)</div>")</div>
      \(error)\(content)
      <p class="quiet foot">\(words("operator.times", zone)) \(words("operator.as", setting.operatorName, setting.database))</p>
      </main>
      </div>
      </div>
      """
    let title = "\(heading) · \(words("operator.title"))"
    return Layout.document(words, title: title, look: request.look("fettle-look"), inside)
  }

  /// Returns what went wrong: operators read the messages of the commands, which are in English.
  static func text(_ error: DomainError, _ words: Words) -> String {
    let hint = error.hint.isEmpty ? "" : " (\(error.hint))"
    let text = error.message.prefix(1).uppercased() + error.message.dropFirst()
    guard words.language != .english else { return "\(text)\(hint)" }
    return "\(ErrorWords.text(error, words)) \(text)\(hint)"
  }

  /// Returns the link to a company.
  static func link(company slug: String) -> HTML {
    "<a href=\"\(link: Place(["companies", slug]))\">\(own: slug)</a>"
  }

  /// Returns the links of a list's pages.
  func pager(first: Place, next: Place?, isFirst: Bool) -> HTML {
    guard next != nil || !isFirst else { return .none }
    let back: HTML =
      isFirst ? .none : "<a class=\"button\" href=\"\(link: first)\">\(words("list.first"))</a>"
    let on: HTML =
      next.map { "<a class=\"button\" href=\"\(link: $0)\">\(words("list.next"))</a>" } ?? .none
    return "<nav class=\"pager\" aria-label=\"\(words("list.pages"))\">\(back)\(on)</nav>"
  }

  /// Returns a text field of a form of filters, with names to choose from.
  func field(_ name: String, _ label: String, _ value: String?, among names: [String] = []) -> HTML {
    let list: HTML =
      names.isEmpty
      ? .none
      : "<datalist id=\"\(name)-names\">\(names.map { name -> HTML in "<option value=\"\(name)\"></option>" })</datalist>"
    let input: HTML =
      names.isEmpty
      ? "<input id=\"\(name)\" name=\"\(name)\" maxlength=\"200\" autocomplete=\"off\" value=\"\(value ?? "")\">"
      : "<input id=\"\(name)\" name=\"\(name)\" maxlength=\"200\" autocomplete=\"off\" list=\"\(name)-names\" value=\"\(value ?? "")\">"
    return "<div class=\"field\"><label for=\"\(name)\">\(label)</label>\(input)\(list)</div>"
  }
}
