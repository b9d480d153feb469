import BrowserFixtures
import EndToEndFixtures
import Foundation
import TestDatabase
import TestTools
import Testing
import Values

/// The command `deploy/screenshots --guide`: the pictures of the guide, of the demo that `fettle up` makes.
@Suite(.timeLimit(.minutes(60))) struct GuidePictureTests {
  private static let folder = ProcessInfo.processInfo.environment["FETTLE_GUIDE_PICTURES"]

  /// What a page shows after some steps.
  private struct Shot {
    let name: String
    let path: String
    var isPhone = false
    var isDark = false
    var steps: @Sendable (Browser) async throws -> Void = { _ in }
  }

  private static let owner = [
    Shot(name: "owner-today", path: ""), Shot(name: "owner-roles", path: "/settings/roles/user"),
    Shot(name: "owner-workflow", path: "/workflows/maintenance/entry"),
    Shot(
      name: "owner-import",
      path: "/imports/new?type=maintenance.entry",
      steps: { browser in
        let folder = try Leftovers.folderUntilExit()
        let file = folder.appending(path: "orders-2025.csv")
        let text = """
          Machine;Date;Description;Category;Cost
          RM-001;2025-03-02;Nozzle blocked;Spray guns;151,97
          RM-002;2025-05-19;Compressor belt replaced;Compressor;1.355,90
          RM-003;2025-09-30;Hose burst;Hydraulics;412,00

          """
        try Data(text.utf8).write(to: file)
        try await browser.find("#file").upload(file.path(percentEncoded: false))
        try await browser.click("Send and look at it")
        try await browser.shows("What the import would do")
      }
    ), Shot(name: "owner-report", path: "/reports/value_by_category"),
    Shot(name: "dispatcher-list", path: "/maintenance/entry"),
    Shot(name: "dispatcher-board", path: "/maintenance/entry/board", isDark: true),
    Shot(name: "dispatcher-machine", path: "/maintenance/machine/RM-001"),
    Shot(
      name: "household-sun",
      path: "",
      isPhone: true,
      steps: { browser in
        _ = try await browser.execute("document.querySelector('.sun, .meals')?.scrollIntoView()")
      }
    ),
  ]

  private static let technician = [
    Shot(name: "technician-today", path: "", isPhone: true),
    Shot(
      name: "technician-report",
      path: "/maintenance/machine/RM-001",
      isPhone: true,
      steps: { browser in
        try await browser.click("Report a problem")
        try await browser.waitForHeading("New work order")
      }
    ), Shot(name: "technician-order", path: "/maintenance/entry/WO-1002", isPhone: true),
  ]

  @Test(.enabled(if: folder != nil, "deploy/screenshots --guide names no folder"))
  func `the pictures of the guide are made of the demo`() async throws {
    let folder = URL(filePath: try #require(Self.folder))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let place = try Leftovers.folderUntilExit()
    let shell = Shell(
      folder: place,
      environment: ["PATH": "/usr/bin:/bin", "FETTLE_HOME": "\(place.path)/home"]
    )
    do {
      let port = try Loopback.freePort()
      let up = try shell.begin("up", "--http", "127.0.0.1:\(port)")
      try await up.says("/enter/")
      let text = up.said
      let entrance = try #require(text.split(whereSeparator: \.isWhitespace).first { $0.contains("/enter/") })
      try await Browser.open { browser in
        try await browser.open(String(entrance))
        try await Self.draw(Self.owner, in: browser, "http://127.0.0.1:\(port)", folder)
        let made = try await shell.rows("invite", "create", "--role", "user", "--company", "demo")
        let code = try #require(made.first?["code"] as? String)
        try await browser.removeCookies()
        try await browser.open("http://127.0.0.1:\(port)/sign-up?code=\(code.replacing("*", with: "%2A"))")
        try await browser.field("Your name").type("Nils Berg")
        try await browser.field("E-mail address").type("nils@demo.example")
        try await browser.field("Password").type("a long sentence for Nils")
        try await browser.click("Create account")
        try await browser.waitForPath("/c/demo")
        try await Self.draw(Self.technician, in: browser, "http://127.0.0.1:\(port)", folder)
        try await Self.drawFieldApp(in: browser, "http://127.0.0.1:\(port)", folder)
      }
      up.signal(SIGTERM)
      _ = try await up.end()
    }
  }

  /// The field app of the same technician, before and after a step without the server being asked.
  private static func drawFieldApp(in browser: Browser, _ base: String, _ folder: URL) async throws {
    func picture(_ name: String) async throws {
      try await browser.screenshot(to: folder.appending(path: "field-\(name).png"))
    }
    try await browser.view(width: 360, height: 720, isPhone: true)
    try await browser.open("\(base)/app/")
    try await browser.waitForHeading("Sign in")
    try await browser.field("E-mail address").type("nils@demo.example")
    try await browser.field("Password").type("a long sentence for Nils")
    try await browser.click("Sign in")
    try await browser.waitForHeading("Today")
    try await browser.shows("WO-1002")
    try await picture("today")
    try await browser.click("Report")
    try await browser.waitForHeading("Report a problem")
    try await picture("report")
    try await browser.click("Today")
    try await browser.waitForHeading("Today")
    _ = try await browser.execute(
      "[...document.querySelectorAll('main a')].find(a => a.textContent.includes('WO-1003')).click()"
    )
    try await browser.waitForHeading("WO-1003")
    try await browser.click("Start")
    try await browser.shows("Saved on this phone")
    try await picture("order")
  }

  private static func draw(_ shots: [Shot], in browser: Browser, _ base: String, _ folder: URL) async throws {
    for shot in shots {
      let (width, height) = shot.isPhone ? (360, 720) : (1_280, 760)
      try await browser.view(width: width, height: height, isPhone: shot.isPhone)
      try await browser.prefer(Preferences(isDark: shot.isDark, reducesMotion: true))
      try await browser.open("\(base)/c/demo\(shot.path)")
      try await shot.steps(browser)
      try await browser.screenshot(to: folder.appending(path: "\(shot.name).png"))
    }
  }
}
