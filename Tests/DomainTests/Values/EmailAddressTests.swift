import Testing

@testable import Domain

/// The spellings of one address, and addresses that only look alike.
@Suite struct EmailAddressTests {
  @Test(arguments: [
    // International domains in both spellings, in any case, and as a keyboard may write them.
    ("ana@müller.example", "ana@xn--mller-kva.example"), ("ana@MÜLLER.example", "ana@XN--MLLER-KVA.EXAMPLE"),
    ("ana@xn--Mller-KVA.example", "Ana@mu\u{308}ller.Example"), ("ana@例え.テスト", "ana@xn--r8jz45g.xn--zckzah"),
    ("ana@faß.example", "ana@xn--fa-hia.example"), ("ana@example。com", "ana@example.com"),
    ("ana@ｅxample.com", "ana@example.com"),
    // An accent as one character or as two.
    ("josé@example.com", "jose\u{301}@example.com"), ("JOSÉ@example.com", "jose\u{301}@EXAMPLE.com"),
    ("Åsa@example.com", "A\u{30A}sa@example.com"),
    ("\u{1E9B}\u{323}@example.com", "\u{17F}\u{307}\u{323}@example.com"),
    // White space around it.
    ("ana@example.com", "\u{A0}\tana@example.com \u{2003}\r\n"),
  ])
  func `two spellings are one address`(_ one: String, _ other: String) throws {
    let addresses = [try EmailAddress(parsing: one), try EmailAddress(parsing: other)]
    #expect(addresses[0] == addresses[1])
    #expect(Array(addresses[0].key.utf8) == Array(addresses[1].key.utf8))
    #expect(addresses[0].mailbox.lowercased() == addresses[1].mailbox.lowercased())
    // What is stored is one of them, and reads as itself.
    for address in addresses {
      let again = try EmailAddress(parsing: address.text)
      #expect(Array(again.text.utf8) == Array(address.text.utf8))
      #expect(Array(address.text.lowercased().utf8) == Array(address.key.utf8))
    }
  }

  @Test(arguments: [
    ("ana@apple.com", "ana@\u{430}pple.com"), ("ana@fass.example", "ana@faß.example"),
    ("jose@example.com", "josé@example.com"), ("ana@example.com", "\u{FF41}na@example.com"),
    ("ana@mueller.example", "ana@müller.example"),
  ])
  func `two addresses that look alike are two`(_ one: String, _ other: String) throws {
    #expect(try EmailAddress(parsing: one) != EmailAddress(parsing: other))
  }

  @Test(arguments: [
    "ana@xn--a.com", "ana@xn--.com", "ana@☃.net", "ana@xn--n3h.net", "ana@a\u{200D}b.com",
    "ana@mü_ller.example",
    "ana@-müller.example", "ana@müller", "ana@xn--www-.com", "ana@.müller.example", "ana＠example.com",
    "ana@" + String(repeating: "ü", count: 60) + ".example",
  ])
  func `a domain that no name server has is refused`(_ text: String) {
    let error = #expect(throws: DomainError.self) { try EmailAddress(parsing: text) }
    #expect(error?.code == .invalidEmail)
  }

  @Test func `mail goes to the domain in ASCII, and people read the other spelling`() throws {
    let address = try EmailAddress(parsing: "Ana@XN--MLLER-KVA.example")
    #expect(address.text == "Ana@müller.example" && address.mailbox == "Ana@xn--mller-kva.example")
    #expect(address.key == "ana@müller.example")
    // The case of an ASCII address stays as written.
    #expect(try EmailAddress(parsing: "Ana@Example.com").mailbox == "Ana@Example.com")
  }

  @Test func `a handle is an address or the part before its @`() {
    #expect(EmailAddress.key(ofHandle: "Ana@XN--MLLER-KVA.example") == "ana@müller.example")
    #expect(Array(EmailAddress.key(ofHandle: "Jose\u{301}").utf8) == Array("josé".utf8))
  }
}
