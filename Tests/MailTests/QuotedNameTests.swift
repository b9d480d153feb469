import Domain
import Mail
import Testing

/// Names in letters to addresses that may be a stranger's.
@Suite struct QuotedNameTests {
  @Test(arguments: [
    "Ana", "Åsa Öberg", "山田 太郎", "O'Neil 2", "J.R. Ewing", "Dr. No", "Acme Co.", "Nord & Söhne (Berlin)",
    "Jean-Luc", "Joël", "محمد",
  ])
  func `a name is shown`(_ name: String) {
    #expect(QuotedName.shown(name) == name)
  }

  @Test(arguments: [
    "https://evil.example/login", "evil.example", "Click evil.co now", "www.evil.example", "ana@evil.example",
    "evil。example", "evil．example", "evil․example", "http:evil", "evil/login", "Free 💰", "a\u{FF0F}b",
    "bit.ly",
    "Ana <b>", "1.2.3.45", "tel:+46", "evil.рф", String(repeating: "Win a prize ", count: 6), "",
  ])
  func `what could be read as an address, or as a message, is left out`(_ name: String) {
    #expect(QuotedName.shown(name) == nil)
  }

  @Test(arguments: Language.allCases)
  func `no letter with a code has what a stranger wrote as a name`(_ language: Language) {
    let letters = Letters(language)
    let link = "Win now: https://evil.example/login"
    let all = [
      letters.verification(name: link, code: "ftm_1"), letters.passwordReset(name: link, code: "ftm_1"),
      letters.invitation(company: link, inviter: link, role: link, code: "ftm_1", until: "2026-12-07"),
      letters.invitation(
        company: "evil.example",
        inviter: "Ana",
        role: "User",
        code: "x",
        until: "2026-12-07"
      ),
    ]
    for letter in all {
      for text in [letter.subject, letter.text, letter.html] { #expect(!text.contains("evil")) }
    }
    #expect(letters.verification(name: "Ana", code: "x").text.contains(" Ana,"))
    let invitation = letters.invitation(
      company: "Acme",
      inviter: "Ana",
      role: "User",
      code: "x",
      until: "2026-12-07"
    )
    #expect(
      invitation.subject.contains("Acme") && invitation.text.contains("Ana")
        && invitation.text.contains("User")
    )
  }
}
