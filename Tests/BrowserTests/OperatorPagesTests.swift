import BrowserFixtures
import EndToEndFixtures
import Foundation
import TestDatabase
import Testing
import Values

/// Test 21 of the plan of pages: the operator's console in a real browser, beside a running installation.
@Suite(.serialized, .timeLimit(.minutes(60))) struct OperatorPagesTests {
  /// A console of the shop's installation; the body gets the address of the console and the way in.
  private static func open(
    _ body: (_ shop: BrowserShop, _ base: String, _ entrance: String) async throws -> Void
  )
    async throws
  {
    let shop = try await BrowserShop.shared()
    let console = try shop.shell.begin("console", "--port", "0")
    try await console.says("/enter/")
    let said = console.said.split(whereSeparator: \.isWhitespace)
    let entrance = String(try #require(said.first { $0.contains("/enter/") }))
    let base = String(try #require(entrance.firstRange(of: "/enter/").map { entrance[..<$0.lowerBound] }))
    do {
      try await body(shop, base, entrance)
    } catch {
      console.signal(SIGTERM)
      throw error
    }
    console.signal(SIGTERM)
    #expect(try await console.end().status == 0)
  }

  private static let paths = [
    ("/", "Overview"), ("/queues", "Queues"), ("/jobs", "Jobs"), ("/jobs?state=queued", "Jobs"),
    ("/schedules?company=workshop", "Schedules"), ("/workers", "Workers"), ("/companies", "Companies"),
    ("/companies/workshop", "Workshop"), ("/companies/workshop/suspend", "Suspend Workshop?"),
    ("/audit?company=workshop", "Audit"), ("/verify", "Verify"), ("/sync?company=workshop", "Devices"),
  ]

  /// Makes a change that conflicts with one of the office, and one that is refused: the table of both is wide.
  private static func undecided(_ shop: BrowserShop) async throws {
    let (owner, device, record) = (shop.workshop.owner, UUID().uuidString, UUID().uuidString)
    let word = "Undecided\(record.prefix(6))"
    func push(_ mutation: JSONObject) async throws {
      var change = mutation
      change["type"] = "maintenance.entry"
      let body: JSONObject = ["device_id": .string(device), "mutations": [.object(change)]]
      #expect(try await shop.post("/v1/sync/push", body, as: owner) == 200)
    }
    let registration: JSONObject = ["id": .string(device), "name": "A phone", "app": "maintenance"]
    #expect(try await shop.post("/v1/sync/devices", registration, as: owner) == 201)
    func first(_ type: String) async throws -> JSONValue {
      try await shop.get("/v1/maintenance/\(type)", as: owner)["items"]?.array?.first?["id"] ?? .null
    }
    try await push([
      "no": 1, "id": .string(record), "op": "create",
      "fields": [
        "machine_id": try await first("machine"), "category_id": try await first("category"),
        "description": .string(word),
      ],
    ])
    let number = try #require(try await shop.entries(word).first?["number"]?.string)
    _ = try await shop.fettle(
      "entry",
      "update",
      number,
      "--description",
      "\(word) office",
      "--company",
      "workshop"
    )
    let patch: JSONObject = ["description": .string("\(word) phone")]
    try await push([
      "no": 2, "id": .string(record), "op": "patch", "base_version": 1, "fields": .object(patch),
    ])
    try await push(["no": 3, "id": .string(UUID().uuidString), "op": "delete"])
  }

  @Test func `the console opens once, and axe finds nothing on its pages in any look`() async throws {
    try await Self.open { shop, base, entrance in
      try await shop.shell.done(
        "job",
        "enqueue",
        "report.print",
        "--new-kind",
        "--queue",
        "push",
        "--in",
        "1d",
        "--company",
        "workshop"
      )
      try await shop.shell.done(
        "queue",
        "pause",
        "--kind",
        "report.print",
        "--reason",
        "out of paper",
        "--company",
        "workshop"
      )
      let job = try await shop.shell.rows("job", "list", "--where", "kind=report.print")
      let id = try #require(job.first?["id"] as? String)
      try await Self.undecided(shop)
      let paths = Self.paths + [("/jobs/workshop/\(id)", "report.print")]
      try await Browser.open { browser in
        try await browser.open(entrance)
        try await browser.waitForHeading("Overview")
        for (width, isDark) in [(1_280, false), (360, true), (360, false), (1_280, true)] {
          try await browser.view(width: width, height: 800, isPhone: width < 640)
          try await browser.prefer(Preferences(isDark: isDark, reducesMotion: true))
          for (path, heading) in paths {
            try await browser.open("\(base)\(path)")
            let found = try await browser.axe(expecting: heading)
            #expect(found == [], "\(path) \(width) \(isDark) \(found)")
            let wide = try await browser.execute(
              "return document.documentElement.scrollWidth > document.documentElement.clientWidth"
            )
            #expect(wide.bool == false, "\(path) scrolls sideways at \(width)")
            if let folder = ProcessInfo.processInfo.environment["FETTLE_OPERATOR_PICTURES"] {
              let name = path.split { !$0.isLetter }.joined(separator: "-")
              try await browser.screenshot(
                to: URL(filePath: folder).appending(
                  path: "\(name)-\(width)-\(isDark ? "dark" : "light").png"
                ),
                wholePage: true
              )
            }
          }
        }
        // The result of a preview and of a verification, and a form that is wrong.
        try await browser.open("\(base)/jobs?state=queued&kind=report.print")
        try await browser.click("Preview")
        #expect(try await browser.axe(expecting: "Preview: Run now") == [])
        try await browser.open("\(base)/verify")
        try await browser.find("main form.card button").click()
        try await browser.shows("Verified")
        #expect(try await browser.axe(expecting: "Verification") == [])
        try await browser.open("\(base)/queues")
        try await browser.find("details summary").click()
        try await browser.find("button[value=\"limit\"]").click()
        try await browser.shows("neither a queue nor a kind")
        #expect(try await browser.axe(expecting: "Queues") == [])
      }
      try await Browser.open { browser in
        try await browser.open(entrance)
        try await browser.waitForHeading("This address has been used, or is too old")
        #expect(try await browser.axe(expecting: "This address has been used, or is too old") == [])
      }
    }
  }

  @Test(arguments: [true, false])
  func `jobs are cancelled after a preview, with scripts and without`(_ scripts: Bool) async throws {
    try await Self.open { shop, base, entrance in
      let kind = "test.bulk_\(scripts ? "with" : "without")"
      for _ in 0..<3 {
        try await shop.shell.done(
          "job",
          "enqueue",
          kind,
          "--new-kind",
          "--in",
          "1d",
          "--company",
          "workshop"
        )
      }
      try await Browser.open { browser in
        try await browser.open(entrance)
        try await browser.waitForHeading("Overview")
        try await browser.allowScripts(scripts)
        try await browser.open("\(base)/jobs?state=queued&kind=\(kind)")
        try await browser.find("#action").select("Cancel")
        try await browser.click("Preview")
        try await browser.shows("3 jobs would change")
        try await browser.click("Cancel (3)")
        try await browser.shows("3 jobs changed")
      }
      let left = try await shop.shell.rows("job", "list", "--where", "state=cancelled,kind=\(kind)")
      #expect(left.count == 3)
    }
  }
}
