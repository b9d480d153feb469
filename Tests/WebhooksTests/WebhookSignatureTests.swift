import Testing

@testable import Webhooks

@Suite struct WebhookSignatureTests {
  private let body = Array(#"{"id":1}"#.utf8)
  private let key = [UInt8](repeating: 7, count: 32)

  @Test func `the header equals that of other implementations`() {
    // printf '1700000000.{"id":1}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0707…
    let header = WebhookSignature.header(for: body, at: 1_700_000_000, keys: [key])
    #expect(header == "t=1700000000,v1=efa874e78f8b6c778540c4d300ca7184f851c711b10168ac147d54e7f125392a")
  }

  @Test func `a receiver accepts it for five minutes`() {
    let header = WebhookSignature.header(for: body, at: 1000, keys: [key])
    #expect(WebhookSignature.isValid(header, for: body, key: key, now: 1300))
    #expect(WebhookSignature.isValid(header, for: body, key: key, now: 700))
    #expect(!WebhookSignature.isValid(header, for: body, key: key, now: 1301))
    #expect(!WebhookSignature.isValid(header, for: body, key: key, now: 699))
  }

  @Test func `another body, key or time is refused`() {
    let header = WebhookSignature.header(for: body, at: 1000, keys: [key])
    #expect(!WebhookSignature.isValid(header, for: body + [32], key: key, now: 1000))
    #expect(!WebhookSignature.isValid(header, for: body, key: [1], now: 1000))
    let moved = "t=1001" + header.dropFirst("t=1000".count)
    #expect(!WebhookSignature.isValid(moved, for: body, key: key, now: 1000))
  }

  @Test func `while a key is rotated both verify`() {
    let header = WebhookSignature.header(for: body, at: 1000, keys: [[1, 2], key])
    #expect(WebhookSignature.isValid(header, for: body, key: key, now: 1000))
    #expect(WebhookSignature.isValid(header, for: body, key: [1, 2], now: 1000))
  }

  @Test(arguments: [
    "", "t=1000", "v1=00", "t=x,v1=00", "t=1000,t=1000,v1=00", "t=-9223372036854775808,v1=", "==,=",
  ])
  func `a damaged header is refused`(header: String) {
    #expect(!WebhookSignature.isValid(header, for: body, key: key, now: 1000))
  }
}
