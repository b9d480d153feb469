import Domain
import Testing

@testable import Mail

@Suite struct MessageTests {
  private static func message(
    subject: String = "Work on RM-1 is completed",
    name: String = "Ana Berg",
    text: String = "Hello\n",
    html: String = "<p>Hello</p>\n"
  ) throws -> MailMessage {
    MailMessage(
      from: try MailAddress(parsing: "Fettle <fettle@x.example>"),
      to: try MailAddress(EmailAddress(parsing: "ana@x.example"), name: name),
      subject: subject,
      text: text,
      html: html,
      messageID: "019a0000-0000-7000-8000-000000000001@x.example",
      date: Instant(seconds: 1_795_446_482)
    )
  }

  private static func lines(_ message: MailMessage) throws -> [String] {
    String(decoding: try message.rendered(), as: UTF8.self).split(
      separator: "\r\n",
      omittingEmptySubsequences: false
    )
    .map(String.init)
  }

  @Test func `a message is plain text and HTML with all headers`() throws {
    let lines = try Self.lines(Self.message())
    #expect(
      lines.prefix(7) == [
        "From: Fettle <fettle@x.example>", "To: Ana Berg <ana@x.example>",
        "Subject: Work on RM-1 is completed",
        "Date: Mon, 23 Nov 2026 15:08:02 +0000",
        "Message-ID: <019a0000-0000-7000-8000-000000000001@x.example>",
        "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
      ]
    )
    #expect(lines.filter { $0.hasPrefix("Content-Type: text/") }.count == 2)
    #expect(lines.filter { $0 == "Content-Transfer-Encoding: quoted-printable" }.count == 2)
    #expect(lines.filter { $0.hasPrefix("--=_") }.count == 3)
  }

  @Test func `the same message has the same bytes in every attempt`() throws {
    #expect(try Self.message().rendered() == Self.message().rendered())
  }

  @Test(arguments: ["a\r\nBcc: b@x.example", "a\nb", "a\rb", "a\u{0}b", "a\u{85}b", "a\u{2028}b", "a\tb"])
  func `a control character in a header is refused`(text: String) throws {
    #expect(throws: MailError.self) { try Self.message(subject: text).rendered() }
    #expect(throws: MailError.self) { try Self.message(name: text) }
  }

  @Test(arguments: [
    "a@x.example\r\nRCPT TO:<b@x.example>", "a@x.example>", "a b@x.example", "ä@x.example", "a@b@x.example",
  ])
  func `an address that would change the envelope is refused`(text: String) {
    #expect(throws: DomainError.self) { try MailAddress(parsing: text) }
  }

  @Test func `letters outside ASCII become encoded words of at most 75 characters`() throws {
    let subject = String(repeating: "Återställ lösenordet för Åsa 🙂 ", count: 6)
    let lines = try Self.lines(Self.message(subject: subject, name: "Åsa Öberg"))
    #expect(lines.allSatisfy { $0.utf8.count <= 76 && $0.utf8.allSatisfy { $0 < 0x80 } })
    #expect(lines.contains("To: =?UTF-8?B?w4VzYSDDlmJlcmc=?= <ana@x.example>"))
    #expect(lines.filter { $0.contains("=?UTF-8?B?") }.count > 4)
  }

  @Test(arguments: [
    ("Ana Berg", "Ana Berg"), ("Berg, Ana", "\"Berg, Ana\""), ("A \"B\" \\", "\"A \\\"B\\\" \\\\\""),
    ("=?x", "=?UTF-8?B?PT94?="),
  ])
  func `a display name is quoted where necessary`(name: String, header: String) {
    #expect(HeaderText.phrase(name) == header)
  }

  @Test func `a long subject is folded at spaces, and read back unchanged`() throws {
    let subject = Array(repeating: "Maintenance", count: 20).joined(separator: " ")
    let lines = try Self.lines(Self.message(subject: subject))
    let start = try #require(lines.firstIndex { $0.hasPrefix("Subject: ") })
    let end = try #require(lines[(start + 1)...].firstIndex { !$0.hasPrefix(" ") })
    #expect(lines[start..<end].joined() == "Subject: \(subject)")
    #expect(lines[start..<end].allSatisfy { $0.utf8.count <= 76 })
  }

  @Test(arguments: [
    ("a=b", "a=3Db\r\n"), ("blank \nnext", "blank=20\r\nnext\r\n"), ("å", "=C3=A5\r\n"), ("", ""),
    ("a\r\nb\rc\n", "a\r\nb\r\nc\r\n"), (".", ".\r\n"),
  ])
  func `text is quoted-printable with CRLF`(text: String, encoded: String) {
    #expect(QuotedPrintable.encode(text) == encoded)
  }

  @Test(arguments: [74, 75, 76, 77, 78, 152, 153])
  func `no encoded line is longer than 76 characters`(length: Int) {
    for letter in ["x", "ö", "=", " "] {
      let lines = QuotedPrintable.encode(String(repeating: letter, count: length)).split(separator: "\r\n")
      #expect(lines.allSatisfy { $0.utf8.count <= 76 })
      #expect(lines.dropLast().allSatisfy { $0.hasSuffix("=") })
    }
  }
}
