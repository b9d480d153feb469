/// One delivery of one event to one receiver.
package struct Webhook: Sendable {
  /// The URL of the receiver, `http` or `https`.
  package var url: String
  /// The event's name, such as `maintenance.entry.completed`.
  package var event: String
  /// The id of the delivery, the same in every attempt, so that receivers can drop duplicates.
  package var delivery: String
  /// The JSON text to send, in UTF-8.
  package var body: [UInt8]
  /// The signing keys, newest first; without keys the request is not signed.
  package var keys: [[UInt8]]

  /// The value of the header `Authorization`, for receivers that require one; nil for none.
  package var authorization: String?

  /// Creates a delivery.
  package init(url: String, event: String, delivery: String, body: [UInt8], keys: [[UInt8]]) {
    self.url = url
    self.event = event
    self.delivery = delivery
    self.body = body
    self.keys = keys
  }

  /// Returns the headers of a request.
  ///
  /// - Parameters:
  ///   - timestamp: the Unix time of the signature, in seconds.
  ///   - agent: the User-Agent.
  /// - Returns: nil if a value is empty or contains other characters than printable ASCII, because it could
  ///   inject a header.
  func headers(at timestamp: Int64, agent: String) -> [String]? {
    let values = [event, delivery, agent] + [authorization].compactMap { $0 }
    guard values.allSatisfy(Self.isHeaderValue) else { return nil }
    var headers = [
      "Content-Type: application/json",
      "User-Agent: \(agent)",
      "Fettle-Event: \(event)",
      "Fettle-Delivery: \(delivery)",
      "Idempotency-Key: \(delivery)",
      "Expect:",  // do not wait for “100 Continue” before sending a large body
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

  /// Returns the fault of a receiver's URL; nil if it is valid. Check the URL before storing it.
  /// The check does not resolve the host: ``Destination`` does so in advance, and every delivery when it
  /// connects.
  package static func fault(in url: String) -> String? {
    let scheme = url.prefix { $0 != ":" }.lowercased()
    guard ["http", "https"].contains(scheme), url.dropFirst(scheme.count).hasPrefix("://") else {
      return "a webhook's URL must begin with https:// or http://"
    }
    guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), url.utf8.count <= 2048 else {
      return "a webhook's URL can have at most 2,048 characters, all printable ASCII"
    }
    let authority = url.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
    guard !authority.isEmpty else { return "a webhook's URL must name a host" }
    guard !authority.contains("@") else { return "a webhook's URL must not contain a user name or password" }
    return nil
  }
}
