import Domain
import FoundationEssentials
import Secrets
import Testing

@testable import Mail

@Suite struct SettingsTests {
  @Test(arguments: [
    ("smtp://mail.example.com", "smtp://mail.example.com:587", true),
    ("smtps://mail.example.com", "smtps://mail.example.com:465", true),
    ("SMTP://localhost", "smtp://localhost:25", false),
    ("smtp://127.0.0.1:2525", "smtp://127.0.0.1:2525", false),
    ("smtp://[::1]:25/me.example", "smtp://[::1]:25/me.example", false),
    ("smtps://localhost", "smtps://localhost:465", true),
    ("smtp://127.0.0.1.evil.example", "smtp://127.0.0.1.evil.example:587", true),
    ("smtp://localhost.evil.example", "smtp://localhost.evil.example:587", true),
  ])
  func `TLS is required for every host but loopback`(text: String, url: String, requiresTLS: Bool) throws {
    let server = try SMTPServer(parsing: text)
    #expect(server.url == url)
    #expect(server.requiresTLS == requiresTLS)
  }

  @Test(arguments: [
    "mail.example.com", "http://mail.example.com", "smtp://", "smtp://host:0", "smtp://host:99999",
    "smtp://host:x",
    "smtp://user:secret@host", "smtp://host?x=1", "smtp://ho st", "smtp://host/a\r\nRCPT", "smtp://[::1",
    "smtp://host/a b",
  ])
  func `a URL that is not a mail server's is refused`(text: String) {
    #expect(throws: DomainError.self) { try SMTPServer(parsing: text) }
  }

  @Test func `a URL with a password is refused without quoting it`() {
    let error = #expect(throws: DomainError.self) {
      try SMTPServer(parsing: "smtps://ana:hunter2@mail.example.com")
    }
    #expect(error?.message.contains("hunter2") == false)
  }

  @Test func `options win over the environment, and no server means no mails`() throws {
    #expect(try MailSettings.read(environment: [:]) == nil)
    let environment = ["FETTLE_MAIL": "smtps://mail.example.com", "FETTLE_MAIL_FROM": "Fettle <a@x.example>"]
    #expect(try MailSettings.read(environment: environment)?.from.address == "a@x.example")
    #expect(
      try MailSettings.read(from: "b@x.example", environment: environment)?.from.address == "b@x.example"
    )
    #expect(throws: DomainError.self) { try MailSettings.read(mail: "smtps://host", environment: [:]) }
    #expect(throws: DomainError.self) { try MailSettings.read(from: "a@x.example", environment: [:]) }
    #expect(throws: DomainError.self) {
      try MailSettings.read(mail: "sendmail:sendmail", from: "a@x.example", environment: [:])
    }
  }

  @Test(arguments: [
    "app.example", "ftp://app.example", "https://", "https:///x", "https://a.example/#", "https://a\"b",
  ])
  func `links begin with a URL`(text: String) {
    #expect(throws: DomainError.self) {
      try MailSettings.read(mail: "smtps://h", from: "a@x.example", links: text, environment: [:])
    }
  }

  @Test func `the secret file must have two lines that only its owner can read`() throws {
    let path = FileManager.default.temporaryDirectory.path + "/mail-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let settings = {
      try MailSettings.read(mail: "smtps://h", from: "a@x.example", secret: path, environment: [:])
    }
    #expect(throws: SecretsError.self) { try settings() }
    try Data("ana\nsecret\n".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect(throws: SecretsError.self) { try settings() }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(try settings() != nil)
    try Data("ana\n".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(throws: DomainError.self) { try settings() }
  }
}
