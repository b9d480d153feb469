internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// What surrounds the content of a page.
enum Layout {
  /// Returns the page of a visit: the bar at the top, the list of sections, and the content.
  static func page(
    _ visit: Visit,
    _ frame: ScreenFrame,
    title: String,
    at current: String = "",
    isLive: Bool = false,
    _ content: HTML
  ) -> HTML {
    let words = Words.of(frame.language)
    let live: HTML =
      isLive && visit.grant == nil
      ? """
      <aside id="live" class="live" aria-label="\(words("live.on"))" hidden><span class="quiet">\(words("live.on"))</span> <button type="button" class="button small" data-pause="\(words("live.pause"))" data-go="\(words("live.go"))">\(words("live.pause"))</button></aside>
      """ : .none
    let sections = Sections(visit, frame, words, current: current)
    let notices: HTML =
      frame.unread == 0
      ? "" : "<span class=\"badge\">\(NumberText(frame.language).text(frame.unread))</span>"
    let inside: HTML = """
      <a class="skip" href="#main">\(words("shell.skip"))</a>
      <header class="top">
      <a class="menu-button" href="#menu">\(Icon.menu)<span>\(words("shell.menu"))</span></a>
      <a class="brand" href="\(link: visit.place())">\(own: frame.company.name)</a>
      <form class="search" role="search" action="\(link: visit.place("search"))" method="get">
      <label class="unseen" for="search">\(words("shell.search"))</label>
      <input id="search" name="q" type="search" placeholder="\(words("shell.search"))" maxlength="200" value="\(visit.request.path.hasSuffix("/search") ? visit.request.asked("q") ?? "" : "")">
      </form>
      <a class="top-link" href="\(link: visit.place("inbox"))">\(Icon.bell)<span>\(words("shell.notices"))</span>\(notices)</a>
      <a class="top-link" href="\(link: visit.place("me"))">\(Icon.person)<span>\(own: frame.person ?? words("shell.you"))</span></a>
      </header>
      <div class="shell">
      <nav id="menu" class="side" aria-label="\(words("shell.sections"))">
      <a class="menu-close" href="#main">\(words("shell.close"))</a>
      \(sections.html)
      </nav>
      <div class="page">\(live)
      <main id="main" tabindex="-1">
      \(frame.role == "guest" ? guestBar(words) : "")
      \(visit.grant.map { grantBar($0, visit, words) } ?? "")
      \(frame.isOpen ? "" : Notice.bar(words("shell.closed"), "warning"))
      \(content)
      </main>
      </div>
      </div>
      """
    return document(
      words,
      title: "\(title) · \(frame.company.name)",
      look: visit.request.look("fettle-look"),
      inside.addingToForms(hidden(Visit.personField, visit.person))
    )
  }

  /// What a guest of the demo is told on every page.
  private static func guestBar(_ words: Words) -> HTML {
    """
    <p class="bar info">\(words("shell.guest")) <a href="\(link: Place(["sign-up"]))">\(words("sign-up.title"))</a></p>
    """
  }

  /// What somebody is told who acts on another member's records.
  private static func grantBar(_ grant: Visit.Grant, _ visit: Visit, _ words: Words) -> HTML {
    let leave = Place(["c", visit.company.slug, "me", "sharing"])
    return """
      <p class="bar info">\(words("grant.bar", grant.giver)) <a href="\(link: leave)">\(words("grant.bar.leave"))</a></p>
      """
  }

  /// Returns a page for a person who is not inside a company.
  static func outside(_ request: APIRequest, _ words: Words, title: String, _ content: HTML) -> HTML {
    // On an error inside a company, the way back and the search stay.
    let top: HTML =
      request.caller.map { caller -> HTML in
        let home = ["c", caller.acting.company.slug]
        return """
          <header class="top"><a class="brand" href="\(link: Place(home))">\(own: caller.acting.company.name)</a>
          <form class="search" role="search" action="\(link: Place(home + ["search"]))" method="get"><label class="unseen" for="search">\(words("shell.search"))</label>
          <input id="search" name="q" type="search" placeholder="\(words("shell.search"))" maxlength="200"></form>
          <a class="top-link" href="\(link: Place(home + ["me"]))">\(Icon.person)<span>\(words("shell.you"))</span></a></header>
          """
      } ?? .none
    let inside: HTML = """
      \(top)
      <main id="main" class="outside" tabindex="-1">
      <p class="product">\(Icon.mark)<span>Fettle</span></p>
      \(content)
      </main>
      """
    return document(words, title: "\(title) · Fettle", look: request.look("fettle-look"), inside)
  }

  /// Returns a document with its head.
  ///
  /// - Parameter look: `light` or `dark`, as the person chose it; nil for that of the system.
  static func document(_ words: Words, title: String, look: String?, _ body: HTML) -> HTML {
    let theme: HTML = look == "dark" ? " data-look=\"dark\"" : look == "light" ? " data-look=\"light\"" : ""
    return """
      <!doctype html>
      <html lang="\(words.language.rawValue)"\(theme)>
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(title)</title>
      <link rel="stylesheet" href="\(link: AssetLibrary.standard.place("console.css"))">
      <script type="module" src="\(link: AssetLibrary.standard.place("console.js"))"></script>
      </head>
      <body>
      \(body)
      </body>
      </html>

      """
  }
}

/// The list of an app's types beside the content.
private struct Sections {
  let visit: Visit
  let frame: ScreenFrame
  let words: Words
  /// The name of the type that is shown, or of another section.
  let current: String

  init(_ visit: Visit, _ frame: ScreenFrame, _ words: Words, current: String) {
    self.visit = visit
    self.frame = frame
    self.words = words
    self.current = current
  }

  var html: HTML {
    let apps = TypeWords.apps(of: frame.types)
    if visit.grant != nil { return list(of: apps) }
    let home: HTML = """
      <ul><li>\(item(words("home.title"), visit.place(), isCurrent: current == "home"))</li></ul>
      """
    return home + list(of: apps) + company
  }

  private func list(of apps: [String]) -> HTML {
    .joined(
      apps.map { app -> HTML in
        let types = frame.types.filter { $0.app == app }
        let (working, others) = (types.filter { $0.workflow != nil }, types.filter { $0.workflow == nil })
        let ordered = working + others
        let items = (ordered.filter(\.isMain) + ordered.filter { !$0.isMain }).map { type -> HTML in
          let label = TypeWords(type, words).plural
          return "<li>\(item(label, visit.place(of: type), isCurrent: current == type.name))</li>"
        }
        // With many apps, the list would push the company's own sections out of sight.
        let isOpen =
          apps.count < 3 || types.contains { $0.name == current } || current == "home" && app == apps[0]
        let title = types.first.map { TypeWords($0, words).app } ?? app
        return """
          <details\(flag: "open", if: isOpen)><summary>\(title)</summary><ul>\(items)</ul></details>
          """
      }
    )
  }

  /// The sections that no app has.
  private var company: HTML {
    var items: [HTML] = []
    if frame.may("member.read") {
      items.append(item(words("people.title"), visit.place("people"), isCurrent: current == "people"))
    }
    if frame.may("report.read") {
      items.append(item(words("reports.title"), visit.place("reports"), isCurrent: current == "reports"))
    }
    if !ImportPage.types(frame).isEmpty {
      items.append(item(words("import.list"), visit.place("imports"), isCurrent: current == "imports"))
    }
    if SettingsPage.first(frame) != nil {
      items.append(item(words("settings.title"), visit.place("settings"), isCurrent: current == "settings"))
    }
    guard !items.isEmpty else { return .none }
    return "<h2>\(words("shell.company"))</h2><ul>\(items.map { item -> HTML in "<li>\(item)</li>" })</ul>"
  }

  private func item(_ label: String, _ place: Place, isCurrent: Bool) -> HTML {
    isCurrent
      ? "<a href=\"\(link: place)\" aria-current=\"page\">\(label)</a>"
      : "<a href=\"\(link: place)\">\(label)</a>"
  }
}

extension RecordType {
  /// True if its records stand for themselves; false if they belong to another record, like the hours of an entry.
  var isMain: Bool {
    !definition.references.contains { $0.onDelete == .cascade && !$0.target.hasPrefix("core.") }
  }
}

/// A bar with a message.
enum Notice {
  /// Returns a bar of a kind: `info`, `good`, `warning` or `bad`.
  static func bar(_ text: String, _ kind: String) -> HTML {
    "<p class=\"bar \(kind)\" role=\"status\">\(text)</p>"
  }

  /// Returns what is wrong with a form of one field, which is read first; nothing for nil.
  static func fault(_ text: String?) -> HTML {
    text.map { "<p class=\"error\" role=\"alert\" tabindex=\"-1\" id=\"summary\">\($0)</p>" } ?? .none
  }
}
