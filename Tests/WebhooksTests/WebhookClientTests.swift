import TestTools
import Testing

@testable import Webhooks

@Suite(.timeLimit(.minutes(60))) struct WebhookClientTests {
  private let key = [UInt8](repeating: 9, count: 32)

  private func webhook(_ url: String, body: String = #"{"id":1}"#) -> Webhook {
    Webhook(
      url: url,
      event: "maintenance.entry.completed",
      delivery: "job:42",
      body: Array(body.utf8),
      keys: [key]
    )
  }

  private func client(_ policy: NetworkPolicy = .publicAndPrivate, total: Duration = .seconds(20))
    -> WebhookClient
  {
    WebhookClient(policy: policy, limits: .init(total: total, responseBytes: 1000), now: { 1_700_000_000 })
  }

  /// Delivers to a server with this behaviour. Returns the outcome and the request.
  private func deliver(
    to behavior: HookReceiver.Answer,
    total: Duration = .seconds(20)
  ) async throws -> (outcome: DeliveryOutcome, requests: [HookReceiver.Request]) {
    let server = try HookReceiver(further: behavior)
    defer { server.stop() }
    let outcome = await client(total: total).deliver(webhook(server.url))
    return (outcome, server.requests)
  }

  private func answer(_ head: String, body: String = "") -> HookReceiver.Answer {
    .raw("HTTP/1.1 \(head)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
  }

  @Test func `a delivery arrives whole, named and signed`() async throws {
    let (outcome, requests) = try await deliver(to: answer("200 OK", body: "thanks"))
    #expect(outcome.verdict == .delivered)
    #expect(outcome.status == 200)
    #expect(outcome.body == Array("thanks".utf8))
    #expect(outcome.reason == nil)
    let request = try #require(requests.first)
    #expect(requests.count == 1)
    #expect(request.line == "POST /hook HTTP/1.1")
    #expect(request.body == Array(#"{"id":1}"#.utf8))
    #expect(request.headers["content-type"] == "application/json")
    #expect(request.headers["user-agent"] == "Fettle")
    #expect(request.headers["fettle-event"] == "maintenance.entry.completed")
    #expect(request.headers["fettle-delivery"] == "job:42")
    #expect(request.headers["idempotency-key"] == "job:42")
    let signature = try #require(request.headers["fettle-signature"])
    #expect(signature.hasPrefix("t=1700000000,v1="))
    #expect(WebhookSignature.isValid(signature, for: request.body, key: key, now: 1_700_000_000))
  }

  @Test func `a large and an empty body arrive as they are`() async throws {
    for body in [String(repeating: "å", count: 1_500_000), ""] {
      let server = try HookReceiver(further: answer("204 No Content"))
      defer { server.stop() }
      let outcome = await client().deliver(webhook(server.url, body: body))
      #expect(outcome.verdict == .delivered)
      #expect(server.requests.first?.body.count == body.utf8.count)
    }
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
  func `a temporary failure is retried`(status: Int) async throws {
    let outcome = try await deliver(to: answer("\(status) No")).outcome
    #expect(outcome.verdict == .retry(after: nil))
    #expect(outcome.status == status)
  }

  @Test(arguments: [400, 401, 403, 404, 405, 410, 422])
  func `a refusal is final`(status: Int) async throws {
    let outcome = try await deliver(to: answer("\(status) No")).outcome
    #expect(outcome.verdict == .failed)
    #expect(outcome.status == status)
  }

  @Test func `Retry-After is honoured up to a day`() async throws {
    let minute = try await deliver(to: answer("429 Slow down\r\nRetry-After: 60")).outcome
    #expect(minute.verdict == .retry(after: .seconds(60)))
    for years in ["99999999", "99999999999999999999999"] {
      let outcome = try await deliver(to: answer("503 Away\r\nRetry-After: \(years)")).outcome
      #expect(outcome.verdict == .retry(after: .seconds(86_400)), "\(years)")
    }
  }

  @Test func `a redirect is not followed`() async throws {
    let target = try HookReceiver(further: answer("200 OK"))
    defer { target.stop() }
    let outcome = try await deliver(to: answer("302 Found\r\nLocation: \(target.url)")).outcome
    #expect(outcome.verdict == .failed)
    #expect(outcome.status == 302)
    #expect(target.requests.isEmpty)
  }

  @Test func `an endless response is truncated and counts`() async throws {
    let outcome = try await deliver(to: .endless).outcome
    #expect(outcome.verdict == .delivered)
    #expect(outcome.isBodyTruncated)
    #expect(outcome.body.count == 1000)
  }

  @Test func `an unresponsive receiver times out and is retried`() async throws {
    let (outcome, requests) = try await deliver(to: .silence, total: .milliseconds(200))
    #expect(outcome.verdict == .retry(after: nil))
    #expect(outcome.status == nil)
    #expect(requests.count == 1)
  }

  @Test func `a closed port and a malformed response are retried`() async throws {
    let garbage = try await deliver(to: .raw("this is not HTTP\r\n\r\n")).outcome
    #expect(garbage.verdict == .retry(after: nil))
    let refused = await client().deliver(webhook("http://127.0.0.1:1/"))
    #expect(refused.verdict == .retry(after: nil))
    #expect(refused.reason?.contains("127.0.0.1") == false)
  }

  @Test func `a cancelled task ends its delivery`() async throws {
    let server = try HookReceiver(further: .silence)
    defer { server.stop() }
    let client = client(total: .seconds(50))
    let webhook = webhook(server.url)
    let delivery = Task { await client.deliver(webhook) }
    while server.requests.isEmpty { await Task.yield() }
    delivery.cancel()
    let outcome = await delivery.value
    #expect(outcome.verdict == .retry(after: nil))
    #expect(outcome.reason == "the delivery was cancelled")
  }

  @Test(
    arguments: [
      "127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "0177.0.0.1", "0.0.0.0", "0",
      "[::ffff:127.0.0.1]",
    ]
  )
  func `the loopback is refused under each of its names`(host: String) async throws {
    let server = try HookReceiver(further: answer("200 OK"))
    defer { server.stop() }
    let outcome = await client(.publicOnly).deliver(webhook("http://\(host):\(server.port)/"))
    #expect(outcome.verdict == .failed)
    #expect(outcome.reason == "the receiver's address is not one that webhooks may reach")
    #expect(server.requests.isEmpty)
  }

  @Test(
    arguments: [
      "http://[::1]:9/", "http://[::]/", "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/",
      "http://[fe80::1]/", "http://[fd00:ec2::254]/", "http://[64:ff9b::7f00:1]/", "http://224.0.0.1/",
      "https://192.168.0.1/", "http://[::ffff:169.254.169.254]/",
    ]
  )
  func `private addresses are not connected to`(url: String) async {
    let outcome = await client(.publicOnly).deliver(webhook(url))
    #expect(outcome.verdict == .failed)
    #expect(outcome.reason == "the receiver's address is not one that webhooks may reach")
  }

  @Test(
    arguments: [
      "file:///etc/passwd", "gopher://127.0.0.1/", "ftp://example.com/", "FILE:///etc/passwd", "http:/x",
      "http://",
      "http:///path", "https://user:pass@example.com/", "http://a b/", "http://a\r\nX: y/",
      "http://é.example/",
      "javascript:alert(1)", "", "http://x\0y/",
    ]
  )
  func `a URL of another scheme is refused before connecting`(url: String) async {
    #expect(Webhook.fault(in: url) != nil)
    #expect(await client().deliver(webhook(url)).verdict == .failed)
  }

  @Test func `an event cannot smuggle in a header`() async throws {
    let server = try HookReceiver(further: answer("200 OK"))
    defer { server.stop() }
    var webhook = webhook(server.url)
    webhook.event = "x\r\nAuthorization: Bearer y"
    #expect(await client().deliver(webhook).verdict == .failed)
    #expect(server.requests.isEmpty)
  }
}
