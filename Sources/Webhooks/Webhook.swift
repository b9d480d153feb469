/// One delivery of one event to one receiver.
package struct Webhook: Sendable {
  /// The URL of the receiver; `http` or `https`.
  package var url: String
  /// The event's name, such as `maintenance.entry.completed`.
  package var event: String
  /// The id of the delivery, the same in every attempt, so that receivers can drop duplicates.
  package var delivery: String
  /// The JSON text to send.
  package var body: [UInt8]
  /// The keys to sign with, the newest first.
  package var keys: [[UInt8]]

  /// The value of `Authorization`, for receivers that require it; a signature does not.
  package var authorization: String?

  /// Creates a delivery.
  package init(url: String, event: String, delivery: String, body: [UInt8], keys: [[UInt8]]) {
    self.url = url
    self.event = event
    self.delivery = delivery
    self.body = body
    self.keys = keys
  }

  /// Returns the headers of a request at a time; `nil` if event or delivery could inject another header.
  func headers(at timestamp: Int64, agent: String) -> [String]? {
    let values = [event, delivery, agent] + [authorization].compactMap { $0 }
    guard values.allSatisfy(Self.isHeaderValue) else { return nil }
    var headers = [
      "Content-Type: application/json",
      "User-Agent: \(agent)",
      "Fettle-Event: \(event)",
      "Fettle-Delivery: \(delivery)",
      "Idempotency-Key: \(delivery)",
      "Expect:",  // no waiting for “100 Continue” before large bodies
    ]
    if !keys.isEmpty {
      headers.append("Fettle-Signature: \(WebhookSignature.header(for: body, at: timestamp, keys: keys))")
    }
    if let authorization { headers.append("Authorization: \(authorization)") }
    return headers
  }

  static func isHeaderValue(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  /// Returns the fault of a receiver's URL, or `nil` if it is valid. Check it before storing; the address
  /// behind it is checked when the connection is made, and in advance by ``Destination``.
  package static func fault(in url: String) -> String? {
    let scheme = url.prefix { $0 != ":" }.lowercased()
    guard ["http", "https"].contains(scheme), url.dropFirst(scheme.count).hasPrefix("://") else {
      return "a webhook's URL begins with https:// or http://"
    }
    guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), url.utf8.count <= 2048 else {
      return "a webhook's URL has at most 2,048 characters, all printable ASCII"
    }
    let authority = url.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
    guard !authority.isEmpty else { return "a webhook's URL names a host" }
    guard !authority.contains("@") else { return "a webhook's URL holds no user name or password" }
    return nil
  }
}
