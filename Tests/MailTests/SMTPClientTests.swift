import Domain
import Testing

@testable import Mail

@Suite struct SMTPClientTests {
  static func message(text: String = "Hello\n") throws -> MailMessage {
    MailMessage(
      from: try MailAddress(parsing: "fettle@x.example"),
      to: try MailAddress(parsing: "ana@x.example"),
      subject: "Hello",
      text: text,
      html: "<p>Hello</p>",
      messageID: "1@x.example",
      date: Instant(seconds: 0)
    )
  }

  private func send(_ answers: [String: String]) async throws -> (MailOutcome, SMTPReceiver) {
    let receiver = try SMTPReceiver(answers)
    defer { receiver.stop() }
    return (try await SMTPClient(SMTPServer(parsing: receiver.url)).send(Self.message()), receiver)
  }

  @Test func `a mail is submitted with its envelope and the server's answer is returned`() async throws {
    let (outcome, receiver) = try await send([:])
    #expect(outcome == .accepted(MailAnswer(code: 250, text: "2.0.0 queued as 42")))
    #expect(receiver.commands.first == "EHLO tests.example")
    #expect(receiver.commands.contains { $0.hasPrefix("MAIL FROM:<fettle@x.example>") })
    #expect(receiver.commands.contains("RCPT TO:<ana@x.example>"))
    #expect(receiver.messages == [String(decoding: try Self.message().rendered(), as: UTF8.self)])
  }

  @Test func `a line with a single dot does not end the message`() async throws {
    let receiver = try SMTPReceiver()
    defer { receiver.stop() }
    let client = SMTPClient(try SMTPServer(parsing: receiver.url))
    let outcome = await client.send(try Self.message(text: "one\n.\nRCPT TO:<b@x.example>\n"))
    #expect(outcome == .accepted(MailAnswer(code: 250, text: "2.0.0 queued as 42")))
    #expect(receiver.messages.first?.contains("\r\n..\r\nRCPT") == true)
    #expect(receiver.commands.filter { $0.hasPrefix("RCPT") }.count == 1)
  }

  @Test(arguments: [
    ["greeting": "421 later"], ["RCPT": "451 4.7.1 greylisted"], [".": "452 4.3.1 disk full"],
    ["DATA": "451 later"],
    ["MAIL": "553 5.7.1 sender refused"], [".": "hang up"], ["RCPT": "nonsense"],
  ])
  func `a later attempt may succeed`(answers: [String: String]) async throws {
    guard case .temporary = try await send(answers).0 else {
      Issue.record("not temporary")
      return
    }
  }

  @Test(arguments: [
    (["RCPT": "550 5.1.1 no such user"], true), (["RCPT": "552 5.2.2 mailbox full"], false),
    ([".": "554 5.7.1 looks like spam"], false),
  ])
  func `a refusal for good tells whether the address is refused`(answers: [String: String], isAddress: Bool)
    async throws
  {
    guard case .permanent(let reason, let answer?, isAddress) = try await send(answers).0 else {
      Issue.record("not permanent")
      return
    }
    #expect(reason.contains("\(answer.code) \(answer.text)"))
  }

  @Test func `a server without TLS gets no sender, recipient or content`() async throws {
    let receiver = try SMTPReceiver()
    defer { receiver.stop() }
    // As for a server elsewhere.
    var server = try SMTPServer(parsing: receiver.url)
    server.requiresTLS = true
    let implicit = try SMTPServer(parsing: "smtps://127.0.0.1:\(receiver.port)")
    for server in [server, implicit] {
      let client = SMTPClient(server, login: .init(user: "ana", password: "secret"), connecting: .seconds(2))
      guard case .temporary = await client.send(try Self.message()) else {
        Issue.record("sent without TLS")
        continue
      }
    }
    #expect(!receiver.commands.contains { $0.hasPrefix("MAIL") || $0.hasPrefix("AUTH") })
    #expect(receiver.messages.isEmpty)
  }

  @Test func `nothing is sent if a header has a line end`() async throws {
    let receiver = try SMTPReceiver()
    defer { receiver.stop() }
    let message = MailMessage(
      from: try MailAddress(parsing: "fettle@x.example"),
      to: try MailAddress(parsing: "ana@x.example"),
      subject: "a\r\nBcc: b@x.example",
      text: "",
      html: "",
      messageID: "1@x.example",
      date: Instant(seconds: 0)
    )
    guard
      case .permanent(_, nil, false) = try await SMTPClient(SMTPServer(parsing: receiver.url)).send(message)
    else {
      Issue.record("not refused")
      return
    }
    #expect(receiver.commands.isEmpty)
  }

  @Test func `a server that cannot be reached is tried again later`() async throws {
    let receiver = try SMTPReceiver()
    receiver.stop()
    let closed = try SMTPServer(parsing: "smtp://127.0.0.1:1")
    guard case .temporary(_, nil) = await SMTPClient(closed).send(try Self.message()) else {
      Issue.record("not temporary")
      return
    }
  }
}
