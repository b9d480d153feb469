import BrowserFixtures
import Foundation
import TestDatabase
import TestTools
import Testing
import Values

/// The browser that tests drive, on a small site of its own.
@Suite(.timeLimit(.minutes(60))) struct BrowserDriverTests {
  @Test func `a page is read by its heading, title, text and address`() async throws {
    let site = try SamplePage.serve()
    defer { site.stop() }
    try await Browser.open { browser in
      try await browser.open("\(site.base)/?status=open")
      #expect(try await browser.heading == "Machines")
      #expect(try await browser.title == "Sample")
      #expect(try await browser.path == "/?status=open")
      #expect(try await browser.address == "\(site.base)/?status=open")
      #expect(try await browser.find(text: "Two machines wait").text == "Two machines wait for work")
      #expect(try await browser.find(text: "wait").text == "wait")
      #expect(try await browser.find("form").pressables == ["Save", "Save and add"])
      #expect(try await browser.offers("Hidden") == false)
      #expect(try await browser.all("option").count == 2)
      #expect(try await browser.execute("return arguments[0] + 1", 41).integer == 42)
    }
  }

  @Test(arguments: [false, true])
  func `a closed browser leaves no process`(isWhole: Bool) async throws {
    let site = try SamplePage.serve()
    defer { site.stop() }
    var options = Browser.Options()
    options.isWhole = isWhole
    let profile = try await Browser.open(options) { browser in
      try await browser.open(site.base)
      let profile = try #require(browser.profile)
      #expect(!PowerLoss.processes(of: profile).isEmpty)
      return profile
    }
    try await until { PowerLoss.processes(of: profile).isEmpty }
  }

  @Test func `a form is filled in by its labels and sent, with a file`() async throws {
    let site = try SamplePage.serve()
    defer { site.stop() }
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).txt")
    try Data("the bytes of a file".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }  // a leftover temporary file is harmless
    try await Browser.open { browser in
      try await browser.open(site.base)
      try await browser.field("Title").type("Hose leaks")
      try await browser.field("Title").replace(with: "Hydraulic hose")
      #expect(try await browser.field("Title").value == "Hydraulic hose")
      try await browser.field("State").select("Done")
      try await browser.field("Urgent").click()
      #expect(try await browser.field("Urgent").isChecked)
      try await browser.field("Photo").upload(file.path)
      // The one that is named exactly, of two that begin alike.
      try await browser.click("Save")
      try await browser.waitForHeading("Sent")
    }
    let sent = String(decoding: try #require(site.requests.last).body, as: UTF8.self)
    for value in ["Hydraulic hose", "Done", "\"urgent\"", "the bytes of a file"] {
      #expect(sent.contains(value))
    }
    #expect(!sent.contains("\"more\""))
  }

  @Test func `what comes later is waited for, and what never comes is told with what is shown`() async throws
  {
    let site = try SamplePage.serve()
    defer { site.stop() }
    try await Browser.open { browser in
      try await browser.open(site.base)
      try await browser.click("Later")
      try await browser.shows("Arrived")
      let failure = try #require(
        await #expect(throws: BrowserFailure.self) {
          try await browser.wait(for: "an entry", within: .zero) { try await browser.offers("Entry") }
        }
      )
      #expect(failure.problem == "the page has not shown an entry")
      #expect(failure.title == "Sample")
      #expect(failure.text.contains("Two machines wait for work"))
      let picture = try Data(contentsOf: URL(filePath: failure.picture))
      #expect(Picture(data: picture).size != nil)
      try FileManager.default.removeItem(atPath: failure.picture)
    }
  }

  @Test func `the keyboard alone reaches, chooses and sends`() async throws {
    let site = try SamplePage.serve()
    defer { site.stop() }
    try await Browser.open { browser in
      try await browser.open(site.base)
      try await browser.press(.escape)
      try await browser.shows("Closed")
      try await browser.tab(to: "Title")
      try await browser.press("Belt")
      #expect(try await browser.focus.value == "Belt")
      try await browser.tab(to: "State")
      try await browser.press(.down)
      #expect(try await browser.focus.value == "Done")
      try await browser.press(.tab, holding: .shift)
      #expect(try await browser.focus.label == "Title")
      try await browser.press(.enter)
      try await browser.waitForHeading("Sent")
    }
  }

  @Test func `two windows share cookies, and are driven one at a time`() async throws {
    let site = try SamplePage.serve()
    defer { site.stop() }
    try await Browser.open { browser in
      try await browser.open("\(site.base)/?window=1")
      try await browser.set(Cookie("taste", "sweet", isHTTPOnly: true))
      let first = try await browser.openTab()
      try await browser.open("\(site.base)/?window=2")
      #expect(try await browser.cookies == [Cookie("taste", "sweet", isHTTPOnly: true)])
      #expect(try await browser.windows.count == 2)
      try await browser.use(first)
      #expect(try await browser.path == "/?window=1")
      try await browser.removeCookies()
      #expect(try await browser.cookies.isEmpty)
      try await browser.closeTab()
      #expect(try await browser.path == "/?window=2")
    }
  }

  @Test func `a page that breaks its policy fails the test, unless that is expected`() async throws {
    let site = try SamplePage.serve()
    defer { site.stop() }
    func visit(_ options: Browser.Options) async throws {
      try await Browser.open(options) { browser in
        try await browser.open("\(site.base)/policy")
        try await browser.shows("Without scripts")
      }
    }
    await withKnownIssue { try await visit(Browser.Options()) }
    var options = Browser.Options()
    options.mayBreakPolicy = true
    try await visit(options)
  }
}
