import BrowserFixtures
import EndToEndFixtures
import Foundation
import Testing
import Values

/// The pages to which mails lead, as a person uses them who comes by such a link.
@Suite(.timeLimit(.minutes(60))) struct LetterPagesTests {
  private static let password = "correct horse battery staple"

  /// Makes a company at the command line, whose owner has no password; returns the owner's address.
  private func founder(_ shop: BrowserShop) async throws -> (email: String, slug: String) {
    let slug = "founders-\(UUID().uuidString.prefix(8).lowercased())"
    let email = "vera@\(slug).example"
    _ = try await shop.fettle(
      "company",
      "create",
      slug,
      "--owner",
      email,
      "--owner-name",
      "Vera Founder",
      "--name",
      "Founders"
    )
    return (email, slug)
  }

  private func link(_ email: String, _ shop: BrowserShop) async throws -> String {
    try await shop.fettle("member", "password-link", email, "--url", shop.base)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func signIn(_ email: String, _ browser: Browser) async throws {
    try await browser.waitForHeading("Sign in")
    try await browser.field("E-mail address").type(email)
    try await browser.field("Password").type(Self.password)
    try await browser.find("main form.form button").click()
  }

  @Test(arguments: [true, false])
  func `somebody without a password chooses one by an operator's link, once`(hasScripts: Bool) async throws {
    let shop = try await BrowserShop.shared()
    let (email, slug) = try await founder(shop)
    let link = try await link(email, shop)
    try #require(link.hasPrefix("\(shop.base)/reset#ftm_"))
    try await Browser.open { browser in
      try await browser.allowScripts(hasScripts)
      try await browser.open(link)
      try await browser.waitForHeading("Choose a new password")
      let code = try await browser.field("Code in the mail")
      if hasScripts {
        try await browser.wait(for: "the code") { try await code.value.hasPrefix("ftm_") }
      } else {
        try await code.type(String(link.split(separator: "#")[1]))
      }
      try await browser.field("The new password").type(Self.password)
      try await browser.click("Change the password")
      try await browser.shows("Your password is changed")
      if hasScripts { #expect(try await browser.axe(expecting: "Choose a new password") == []) }
      try await browser.click("Sign in")
      try await signIn(email, browser)
      try await browser.wait(for: "the company") { try await browser.path.hasPrefix("/c/\(slug)") }
      // The link of a mail about notices leads to the inbox of the company.
      try await browser.open("\(shop.base)/inbox")
      try await browser.wait(for: "the inbox") { try await browser.path == "/c/\(slug)/inbox" }
      // It works once.
      try await browser.open("\(shop.base)/reset")
      try await browser.field("Code in the mail").type(String(link.split(separator: "#")[1]))
      try await browser.field("The new password").type("another long password")
      try await browser.click("Change the password")
      try await browser.shows("This link or code is not valid any more.")
    }
  }

  @Test func `whoever has forgotten the password asks for a mail, and learns nothing about accounts`()
    async throws
  {
    let shop = try await BrowserShop.shared()
    let (email, _) = try await founder(shop)
    try await Browser.open { browser in
      var texts: Set<String> = []
      for address in [email, "nobody@\(UUID().uuidString.lowercased()).example"] {
        try await browser.open("\(shop.base)/sign-in")
        try await browser.click("Forgotten your password?")
        try await browser.waitForHeading("Forgotten password")
        #expect(try await browser.axe(expecting: "Forgotten password") == [])
        try await browser.field("E-mail address").type(address)
        try await browser.click("Send the mail")
        try await browser.shows("on its way")
        texts.insert(try await browser.text)
      }
      #expect(texts.count == 1)
      try await browser.click("I have a code")
      try await browser.waitForHeading("Choose a new password")
    }
    let jobs = try await shop.fettle(
      "job",
      "list",
      "--company",
      "system",
      "--where",
      "kind=mail.send",
      "-o",
      "jsonl"
    )
    #expect(jobs.contains("mail.send"))
  }

  @Test func `who has an account joins the company of an invitation with it, everybody else makes one`()
    async throws
  {
    let shop = try await BrowserShop.shared()
    let (_, slug) = try await founder(shop)
    let code = try await shop.fettle("invite", "create", "--role", "user", "--uses", "2", "--company", slug)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let person = try await shop.member("Jo Joiner", role: "viewer", of: shop.workshop)
    try await Browser.open { browser in
      try await browser.open("\(shop.base)/join#\(code)")
      try await browser.waitForHeading("Sign up")
      try await browser.wait(for: "the code") {
        try await browser.field("Invite code of a company").value == code
      }
      try await browser.open("/join#\(code)", of: shop, as: person)
      try await browser.waitForHeading("Join a company")
      try await browser.wait(for: "the code") {
        try await browser.field("Invite code of a company").value == code
      }
      #expect(try await browser.axe(expecting: "Join a company") == [])
      try await browser.click("Join")
      try await browser.wait(for: "the company") { try await browser.path.hasPrefix("/c/\(slug)") }
      // The address is confirmed with the code of a mail; a wrong one is told.
      try await browser.open("\(shop.base)/c/\(slug)/me")
      try await browser.shows(person.email)
      try await browser.open("\(shop.base)/verify")
      try await browser.waitForHeading("Confirm your address")
      #expect(try await browser.axe(expecting: "Confirm your address") == [])
      try await browser.field("Code in the mail").type("ftm_wrong")
      try await browser.click("Confirm")
      try await browser.shows("This link or code is not valid any more.")
      try await browser.click("Send me a code")
      try await browser.shows("on its way to you")
    }
  }

  @Test func `a stranger is led to the sign-in`() async throws {
    let shop = try await BrowserShop.shared()
    try await Browser.open { browser in
      for path in ["/verify", "/inbox"] {
        try await browser.open("\(shop.base)\(path)")
        try await browser.waitForHeading("Sign in")
      }
    }
  }
}
