import BrowserFixtures
import TestTools
import Testing

/// The check of accessibility, on a page without a fault and on one with two.
@Suite(.timeLimit(.minutes(60))) struct AxeTests {
  @Test func `axe finds nothing on a clean page, light and dark`() async throws {
    let site = try SamplePage.serve()
    defer { site.stop() }
    try await Browser.open { browser in
      for isDark in [false, true] {
        try await browser.prefer(Preferences(isDark: isDark))
        try await browser.open(site.base)
        #expect(try await browser.axe(expecting: "Machines") == [])
      }
    }
  }

  @Test func `axe finds the planted violations and names their elements`() async throws {
    let site = try SamplePage.serve()
    defer { site.stop() }
    try await Browser.open { browser in
      try await browser.open("\(site.base)/faulty")
      let found = try await browser.axe(expecting: "Faulty")
      #expect(found.contains { $0.hasPrefix("color-contrast (serious)") && $0.contains("Pale") })
      #expect(found.contains { $0.hasPrefix("label (critical)") && $0.contains("lost") })
      #expect(found.count == 2)
    }
  }
}
