import BrowserFixtures
import Testing
import Values

/// The running Fettle that tests open in a browser.
@Suite(.timeLimit(.minutes(60))) struct BrowserShopTests {
  @Test func `a browser opens the running Fettle`() async throws {
    let shop = try await BrowserShop.shared()
    try await Browser.open { browser in
      try await browser.open("\(shop.base)/livez")
      #expect(try await browser.text.contains("ok"))
    }
  }

  @Test func `people of two companies are signed in, each with their role`() async throws {
    let shop = try await BrowserShop.shared()
    try await Browser.open { browser in
      for company in [shop.workshop, shop.solvik] {
        for person in company.people {
          try await browser.open("/v1/me", of: shop, as: person)
          let me = try JSONReader.read(Array(try await browser.text.utf8), .data)
          #expect(me["company"]?["slug"]?.string == company.slug)
          #expect(me["role"]?.string == person.role)
          #expect(me["email"]?.string == person.email)
        }
      }
    }
  }
}
