import FoundationEssentials
import Testing

@testable import Domain

@Suite struct NameTests {
  @Test(arguments: [
    "ana@example.com", "Ana.Lind+work@Sub.Example.co.uk", "o'neil@example.ie", "björn@exämple.se", "1@2.io",
  ])
  func `an address that mail could deliver is taken`(text: String) throws {
    #expect(try EmailAddress(parsing: " \(text) ").text == text)
  }

  @Test(arguments: [
    "", "ana", "@example.com", "ana@", "ana@localhost", "a@b@c.com", "ana@-x.com", "ana@x-.com", "ana@x..com",
    ".ana@x.com", "ana.@x.com", "an..a@x.com", "an a@x.com", "ana@ex ample.com", "ana@1.2", "ana\u{0}@x.com",
    "ana\u{202E}@x.com", "ana\u{200B}@x.com", "\"ana\"@x.com", "ana@x.com,ben@x.com", "ana@[10.0.0.1]",
    // The Kelvin sign, and an I with a dot: in lower case they are k and i.
    "\u{212A}im@x.com", "\u{130}@x.com",
    String(repeating: "a", count: 65) + "@x.com",
    "a@" + String(repeating: "b.", count: 130) + "com",
  ])
  func `an address that it could not is refused`(text: String) {
    #expect(refusal { _ = try EmailAddress(parsing: text) }?.code == .invalidEmail)
  }

  @Test func `addresses are equal whatever their case`() throws {
    let (one, other) = (
      try EmailAddress(parsing: "Ana@Example.com"), try EmailAddress(parsing: "ana@example.COM")
    )
    #expect(one == other)
    #expect(Set([one, other]).count == 1)
    #expect(one.text == "Ana@Example.com")
  }

  @Test func `an address has at most 254 bytes`() throws {
    let labels = String(repeating: "abcdefg.", count: 30)
    let longest = "ana456@" + labels + "hijklmn"
    #expect(longest.utf8.count == 254)
    #expect(try EmailAddress(parsing: longest).text == longest)
    #expect(refusal { _ = try EmailAddress(parsing: "x" + longest) }?.code == .invalidEmail)
  }

  @Test(arguments: ["Nord Markierung GmbH", "Åsa Öberg", "山田", "O'Neil 2", "👷‍♀️ Ana"])
  func `a name of visible characters is taken`(text: String) throws {
    #expect(try DisplayName(parsing: "  \(text)\t").text == text)
  }

  @Test(arguments: [
    "", "   ", "a\nb", "a\u{0}b", "a\u{202E}b", "a\u{2066}b", "a\u{200B}b", "a\u{7}b", "a\u{FEFF}b",
    String(repeating: "x", count: 201),
  ])
  func `a name that deceives or is none is refused`(text: String) {
    #expect(refusal { _ = try DisplayName(parsing: text) }?.code == .invalidName)
  }

  @Test(arguments: ["acme", "nord-markierung", "a1", String(repeating: "a", count: 40)])
  func `a slug is taken`(text: String) throws {
    #expect(try Slug(parsing: text).text == text)
  }

  @Test(arguments: [
    "", "a", "Acme", "1a", "-a", "a-", "a--b", "a_b", "a b", "ä-b", String(repeating: "a", count: 41),
    "a0000000-0000-0000-0000-000000000000",
  ])
  func `an invalid slug is refused`(text: String) {
    #expect(refusal { _ = try Slug(parsing: text) }?.code == .invalidSlug)
  }

  @Test(arguments: [("Nord Markierung GmbH", "nord-markierung-gmbh"), ("3M & Söhne", "m-s-hne"), ("山田", nil)])
  func `a slug is made of a name`(name: String, slug: String?) {
    #expect(Slug(suggestedFor: name)?.text == slug)
  }

  @Test(arguments: ["UTC", "Europe/Stockholm", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "Europe/Kyiv"])
  func `the shape of a zone's name is taken`(text: String) throws {
    #expect(try TimeZoneName(parsing: text).text == text)
  }

  @Test(arguments: [
    ("Asia/Calcutta", "Asia/Kolkata"), ("Europe/Kiev", "Europe/Kyiv"), ("US/Pacific", "America/Los_Angeles"),
    ("EST5EDT", "America/New_York"), ("GB", "Europe/London"), ("Etc/UTC", "UTC"),
    ("Iceland", "Atlantic/Reykjavik"),
  ])
  func `a former name of a zone becomes the canonical one`(former: String, name: String) throws {
    #expect(try TimeZoneName(parsing: former).text == name)
  }

  @Test func `no canonical name is a former one`() throws {
    for name in TimeZoneName.formerNames {
      #expect(!TimeZoneName.isFormer(TimeZoneName.canonical(name)), "\(name)")
    }
  }

  @Test(arguments: [
    "", "UTC+2", "+02:00", "Europe/", "/Berlin", "Europe/Ber lin", "../etc/passwd", "EST6EDT", "a/b/c/d",
  ])
  func `offsets and paths are no zones`(text: String) {
    #expect(refusal { _ = try TimeZoneName(parsing: text) }?.code == .invalidTimeZone)
  }

  @Test func `quoted text cannot repaint a terminal`() {
    #expect(Quoted("a\u{1B}[31m\"b\u{202E}").description == "\"a\\u{1b}[31m\\u{22}b\\u{202e}\"")
    #expect(Quoted(String(repeating: "x", count: 61)).description.hasSuffix("…\""))
  }

  @Test func `an id is parsed in either case and written in lower case`() throws {
    let id = try UUID(parsing: "0192F0C1-0000-7000-8000-00000000ABCD")
    #expect(id.text == "0192f0c1-0000-7000-8000-00000000abcd")
    #expect(refusal { _ = try UUID(parsing: "not-an-id") }?.code == .invalidID)
  }

  @Test(arguments: [
    ("stat", "start"), ("STRAT", "start"), ("complte", "complete"), ("RM-01", "RM-001"), ("rm001", "RM-001"),
    ("MR-001", "RM-001"), ("xyz", nil), ("bulldozer", nil), ("", nil),
  ])
  func `the nearest name is suggested, and none that is far`(typed: String, meant: String?) {
    #expect(Suggestion.closest(to: typed, among: ["start", "complete", "reopen", "RM-001"]) == meant)
  }

  @Test func `of equally near names the first in order is suggested`() {
    #expect(Suggestion.closest(to: "RM-00", among: ["RM-002", "RM-001"]) == "RM-001")
  }
}
