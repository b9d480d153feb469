import BrowserFixtures
import TestTools
import Testing
import Values

/// A network that fails on demand, between browser and server.
@Suite(.timeLimit(.minutes(60))) struct TCPProxyTests {
  private static let request = """
    const done = arguments[0]
    fetch('/', {signal: AbortSignal.timeout(1500)}).then(answer => done(String(answer.status)), error => done(error.name))
    """

  @Test func `a network is open, stalled, closed and open again`() async throws {
    let site = try SamplePage.serve()
    defer { site.stop() }
    let proxy = try TCPProxy(to: site.port)
    defer { proxy.stop() }
    try await Browser.open { browser in
      try await browser.open("http://127.0.0.1:\(proxy.port)/")
      for (mode, outcome) in [
        (TCPProxy.Mode.open, "200"), (.stalled, "TimeoutError"), (.closed, "TypeError"), (.open, "200"),
      ] {
        proxy.mode = mode
        #expect(try await browser.executeWaiting(Self.request).string == outcome)
      }
    }
  }

  @Test func `a cut answer is lost after the server has worked, and the next one arrives`() async throws {
    let site = try SamplePage.serve()
    defer { site.stop() }
    let proxy = try TCPProxy(to: site.port)
    defer { proxy.stop() }
    try await Browser.open { browser in
      try await browser.open("http://127.0.0.1:\(proxy.port)/")
      let before = site.requests.count
      proxy.mode = .cut
      #expect(try await browser.executeWaiting(Self.request).string == "TypeError")
      // Chromium may repeat a request by itself: each was served, and each answer cut.
      #expect(proxy.cuts >= 1)
      #expect(site.requests.count - before == proxy.cuts)
      let cuts = proxy.cuts
      proxy.cut(next: 1)
      let lost = try? await Loopback.request("GET", "/", port: proxy.port)
      #expect(lost == nil)
      #expect(proxy.cuts == cuts + 1)
      #expect(try await Loopback.request("GET", "/", port: proxy.port).status == 200)
    }
  }
}
