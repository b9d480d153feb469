import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// What people meet in the first hour: their language, the apps that they chose, what to do first, and nothing that is
/// refused.
@Suite(.timeLimit(.minutes(60))) struct FirstHourTests {
  /// Signs up a person with a company of their own, with the given apps ticked.
  private static func signUp(
    _ console: ConsoleFixture,
    language: String = "en",
    apps: [String] = []
  ) async throws -> TestBrowser {
    let word = "w\(UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(12))"
    var browser = console.browser
    browser.headers.append(("accept-language", language))
    try await browser.open("/sign-up")
    let written = [
      ("language", language), ("name", "Ana Ek"), ("email", "ana@\(word).example"),
      ("password", ConsoleFixture.password), ("company", "Verkstad \(word)"),
    ]
    try await browser.post(
      "/sign-up",
      written.map { (name: $0.0, value: $0.1) } + apps.map { (name: "apps", value: $0) }
    )
    return browser
  }

  @Test func `whoever signs up in Swedish reads Swedish afterwards, and so do those whom they invite`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    var browser = try await Self.signUp(console, language: "sv")
    #expect(browser.page.heading.hasPrefix("I dag"), "\(browser.page.plain.prefix(400))")
    let home = browser.page.path
    // Somebody else with a browser in English joins by a link.
    try await browser.open("\(home)/people")
    let made = try await browser.send("/people/invite", ["role": "user"])
    let link = try #require(made.links.first { $0.contains("/sign-up?code=") })
    var other = console.browser
    let place = String(link.drop { $0 != "?" })
    let page = try await other.open("/sign-up\(place)")
    #expect(page.form("/sign-up")?.fields.contains { $0.name == "company" } == false)
    let joined = try await other.send(
      "/sign-up",
      [
        "name": "Bo", "email": "bo\(UUID().uuidString.prefix(8))@example.com".lowercased(),
        "password": ConsoleFixture.password, "language": "",
      ]
    )
    #expect(joined.heading.hasPrefix("I dag"), "\(joined.plain.prefix(400))")
  }

  @Test func `a new company has the chosen apps and its first steps, and its settings change them`()
    async throws
  {
    let console = try await ConsoleFixture.open()
    var browser = try await Self.signUp(console, apps: ["maintenance"])
    let home = browser.page.path
    #expect(browser.page.plain.contains("First steps"))
    #expect(browser.page.links.contains("\(home)/maintenance/machine"))
    #expect(!browser.page.links.contains("\(home)/inventory/item"))
    try await browser.open("\(home)/settings/company")
    let form = try #require(browser.page.form("/settings/company"))
    #expect(form.fields.filter { $0.name == "apps" }.map(\.value) == ["maintenance"])
    let kept = form.fields + [(name: "apps", value: "inventory")]
    try await browser.post("\(home)/settings/company", kept)
    #expect(try await browser.open(home).links.contains("\(home)/inventory/item"))
    // Without any, the company uses none; what is hidden says that the form had the boxes.
    try await browser.post("\(home)/settings/company", form.fields.filter { $0.name != "apps" })
    #expect(!(try await browser.open(home).links.contains("\(home)/maintenance/machine")))
    try await browser.post("\(home)/settings/company", kept)
    try await browser.open("\(home)/maintenance/machine/new")
    try await browser.send("/maintenance/machine/new", ["f.code": "M-1", "f.name": "Press"])
    #expect(!(try await browser.open(home).plain.contains("First steps")))
  }

  @Test func `the next step of work comes first, and hours name the work order`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("user")
    try await browser.open(console.at("/maintenance/entry/new"))
    try await browser.send(
      "/maintenance/entry/new",
      [
        "f.machine_id": console.shop.machine.text, "f.category_id": console.shop.category.text,
        "f.description": "Belt slips",
      ]
    )
    let started = try await browser.send("/do/start")
    let steps = started.forms.map(\.action).filter { $0.contains("/do/") }
    #expect(steps.first?.hasSuffix("/do/complete") == true, "\(steps)")
    let number = try #require(started.heading.split(separator: " ").first { $0.hasPrefix("WO-") })
    let hours = try #require(started.links.first { $0.contains("/maintenance/time_entry/new?") })
    let page = try await browser.open(hours)
    let chosen = page.form("/time_entry/new")?.fields.first { $0.name == "f.entry_id" }?.value ?? ""
    // A choice has the id and shows the name; a field for many has the name.
    #expect(
      page.text.contains(number) && (chosen == number || page.text.contains(">\(number)<")),
      "\(chosen)"
    )
  }

  @Test func `a search for a number opens its record`() async throws {
    let console = try await ConsoleFixture.open()
    _ = try await console.shop.entry()
    var browser = try await console.browser("user")
    let number = try #require(
      try await browser.open(console.at("/maintenance/entry")).text.firstMatch(of: /WO-[0-9]+/)?.0
    )
    let found = try await browser.open(console.at("/search?q=\(number.lowercased())"))
    #expect(found.heading.contains(number))
    #expect(try await browser.open(console.at("/search?q=WO-99999999")).plain.contains("WO-99999999"))
  }

  @Test func `a conversation is read and written on its page, and a trip has its days`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("user")
    try await browser.open(console.at("/trips/conversation/new"))
    let talk = try await browser.send("/trips/conversation/new", ["f.title": "Lofoten"])
    try await browser.send("/trips/message/new", ["f.content": "Where is <the> light?"])
    let page = try await browser.send("/trips/message/new", ["f.content": "And on the second day?"])
    #expect(page.path == talk.path)
    let said = page.text.matches(of: /<div class="said">(?:<[^>]*>)?([^<]*)/).map { String($0.1) }
    #expect(said == ["Where is &lt;the&gt; light?", "And on the second day?"])
    #expect(page.plain.contains("Member user"))
    try await browser.open(console.at("/trips/plan/new"))
    let trip = try await browser.send("/trips/plan/new", ["f.title": "North", "f.starts_on": "2026-12-01"])
    let new = try #require(trip.links.first { $0.contains("/trips/stop/new?") })
    for (day, name) in [("2", "Beach"), ("1", "Church"), ("1", "Harbour")] {
      try await browser.open(new)
      try await browser.send("/trips/stop/new", ["f.day_no": day, "f.position": "1", "f.name": name])
    }
    let days = try await browser.open(trip.path).plain
    let place = ["Day 1 · 1 Dec 2026", "Church", "Harbour", "Day 2 · 2 Dec 2026", "Beach"].map {
      days.firstRange(of: $0)?.lowerBound
    }
    #expect(place.allSatisfy { $0 != nil }, "\(days)")
    #expect(place.compactMap(\.self) == place.compactMap(\.self).sorted())
  }

  @Test func `a viewer is offered no way to add a file`() async throws {
    let console = try await ConsoleFixture.open()
    let path = console.at("/maintenance/machine/\(console.shop.machine.text)")
    for (name, isOffered) in [("viewer", false), ("owner", true)] {
      var browser = try await console.browser(name)
      let page = try await browser.open(path)
      #expect(page.text.contains("type=\"file\"") == isOffered, "\(name)")
    }
  }
}
