import Domain
import Mail
import Testing

@Suite struct LetterTests {
  private static let entries = [
    Letter.Entry(title: "RM-1 is out of service", body: "Roller"),
    Letter.Entry(title: "Ana on WO-7", body: ""),
  ]

  @Test func `a digest lists the notices in English`() {
    let letter = Letters(.english).digest(Self.entries, more: 3, company: "Acme")
    #expect(letter.subject == "5 open notices from Acme")
    #expect(letter.text.contains("- RM-1 is out of service\n  Roller\n- Ana on WO-7"))
    #expect(letter.text.contains("… and 3 more."))
    #expect(letter.html.contains("<li><b>RM-1 is out of service</b><br>Roller</li>"))
    #expect(letter.html.contains("<html lang=\"en\">"))
  }

  @Test func `a digest lists the notices in Swedish`() {
    let letter = Letters(.swedish).digest([Self.entries[0]], more: 0, company: "Acme")
    #expect(letter.subject == "1 oläst avisering från Acme")
    #expect(letter.text.contains("Dina olästa aviseringar från Acme:"))
    #expect(!letter.text.contains("till."))
    #expect(letter.html.contains("<html lang=\"sv\">"))
  }

  @Test(arguments: Language.allCases)
  func `every letter with a code has it in both forms, and in the link's fragment`(language: Language) {
    let letters = Letters(language, links: "https://app.example")
    let all = [
      letters.verification(name: "Ana", code: "ftm_1"), letters.passwordReset(name: "Ana", code: "ftm_1"),
      letters.invitation(company: "Acme", inviter: nil, role: "User", code: "ftm_1", until: "2026-12-07"),
    ]
    for letter in all {
      #expect(letter.text.contains("\n    ftm_1\n"))
      #expect(letter.html.contains("#ftm_1\""))
      #expect(letter.html.contains(">ftm_1</code>"))
      #expect(letter.language == language)
    }
    #expect(Set(all.map(\.subject)).count == all.count)
  }

  @Test func `a letter without links has codes only`() {
    let letter = Letters(.english).passwordReset(name: "Ana", code: "ftm_1")
    #expect(!letter.html.contains("href"))
    #expect(!letter.text.contains("http"))
  }

  @Test func `text of a record cannot become markup or another header`() {
    let entry = Letter.Entry(title: "<script>\r\nBcc: b@x.example", body: "\"&'\u{0}")
    let letter = Letters(.english).notice(entry, company: "<b>")
    #expect(letter.subject == "<script> Bcc: b@x.example")
    #expect(!letter.html.contains("<script>"))
    #expect(!letter.html.contains("<b>,"))
    #expect(letter.html.contains("&quot;&amp;&#39;"))
    #expect(!letter.text.contains("\u{0}"))
  }
}
