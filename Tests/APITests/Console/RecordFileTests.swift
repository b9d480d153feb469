import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// The files of a record on its page.
@Suite(.timeLimit(.minutes(60))) struct RecordFileTests {
  @Test func `the story names a file that was added, and never shows what programs write`() async throws {
    try await FileShop.open { files in
      _ = try await files.add(FileShop.fakePhoto(100), "pump.jpg")
      let console = try await ConsoleFixture.open(files.shop, services: files.services)
      var browser = try await console.browser("admin")
      let page = try await browser.open(console.at("/maintenance/machine/\(files.shop.machine.text)"))
      #expect(page.plain.contains("Files: nothing → pump.jpg"), "\(page.plain)")
      #expect(!page.plain.contains("{\""), "\(page.plain)")
      try await browser.open(console.at("/me"))
      try await browser.send("/me", ["language": "sv"])
      let sida = try await browser.open(console.at("/maintenance/machine/\(files.shop.machine.text)"))
      #expect(sida.plain.contains("Filer: inget → pump.jpg"), "\(sida.plain)")
    }
  }

  @Test func `the field for a file names the module that makes a picture smaller`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("admin")
    let page = try await browser.open(console.at("/maintenance/machine/\(console.shop.machine.text)"))
    let module = try #require(page.text.firstMatch(of: /data-shrink="([^"]+)" data-most="2097152"/)?.1)
    let script = try await browser.open(String(module))
    #expect(script.status == 200 && script.text.contains("shrink"))
    #expect(script.headers["content-type"]?.hasPrefix("text/javascript") == true)
  }
}
