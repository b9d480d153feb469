import BrowserFixtures
import Foundation
import TestTools
import Testing
import Values

/// What a person's system and window are, as the browser pretends.
@Suite(.timeLimit(.minutes(60))) struct BrowserEmulationTests {
  @Test func `a phone and a desk see other layouts, and pictures of their sizes`() async throws {
    let site = try SamplePage.serve()
    defer { site.stop() }
    try await Browser.open { browser in
      for viewport in Viewport.allCases {
        try await browser.view(viewport)
        try await browser.open(site.base)
        #expect(try await browser.offers("Menu") == (viewport == .phone))
        #expect(try await browser.fitsWidth)
        let size = try #require(try await browser.picture().size)
        #expect(size == (viewport.width, viewport.height))
      }
      try await browser.view(width: 360, height: 100, isPhone: true)
      let whole = try #require(try await browser.picture(wholePage: true).size)
      #expect(whole.width == 360)
      #expect(whole.height > 100)
    }
  }

  @Test func `a dark theme and less motion reach the page's style`() async throws {
    let site = try SamplePage.serve()
    defer { site.stop() }
    try await Browser.open { browser in
      try await browser.open(site.base)
      try await browser.prefer(Preferences())
      #expect(try await browser.find("html").style("color") == "rgba(0, 0, 0, 1)")
      #expect(try await browser.find("main").style("transition-duration") == "1s")
      try await browser.prefer(Preferences(isDark: true, reducesMotion: true))
      #expect(try await browser.find("html").style("color") == "rgba(255, 255, 255, 1)")
      #expect(try await browser.find("main").style("transition-duration") == "0s")
      #expect(try await browser.execute("return matchMedia('(forced-colors: active)').matches").bool == false)
      try await browser.prefer(Preferences(forcesColours: true))
      #expect(try await browser.execute("return matchMedia('(forced-colors: active)').matches").bool == true)
    }
  }

  @Test func `without scripts, a page is found, filled in and sent all the same`() async throws {
    let site = try SamplePage.serve()
    defer { site.stop() }
    try await Browser.open { browser in
      try await browser.open(site.base)
      #expect(try await browser.find("#said").text == "With scripts")
      try await browser.allowScripts(false)
      try await browser.open(site.base)
      #expect(try await browser.find("#said").text == "Without scripts")
      try await browser.field("Title").type("Hose")
      try await browser.click("Save")
      try await browser.waitForHeading("Sent")
      try await browser.allowScripts(true)
      try await browser.open(site.base)
      #expect(try await browser.find("#said").text == "With scripts")
    }
  }

  @Test func `the person's languages go with every request`() async throws {
    let site = try SamplePage.serve()
    defer { site.stop() }
    var options = Browser.Options()
    options.languages = "sv,en"
    try await Browser.open(options) { try await $0.open(site.base) }
    #expect(site.requests.first?.headers["accept-language"]?.hasPrefix("sv") == true)
  }
}
