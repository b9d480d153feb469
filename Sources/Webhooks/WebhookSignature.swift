internal import Secrets

/// The header `Fettle-Signature`: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`, with one `v1` per key.
package enum WebhookSignature {
  /// Returns the value of the header.
  ///
  /// - Parameters:
  ///   - timestamp: the Unix time in seconds.
  ///   - keys: the signing keys; during a key rotation the new and the old key.
  package static func header(for body: [UInt8], at timestamp: Int64, keys: [[UInt8]]) -> String {
    let codes = keys.map { "v1=" + Hex.encode(code(for: body, at: timestamp, key: $0)) }
    return (["t=\(timestamp)"] + codes).joined(separator: ",")
  }

  /// True if a receiver should accept the header: one code matches under the key, and the time differs from
  /// `now` by at most the tolerance. The time prevents a later replay of a recorded delivery.
  ///
  /// - Parameters:
  ///   - now: the Unix time in seconds.
  ///   - tolerance: the maximum difference in seconds.
  package static func isValid(
    _ header: String,
    for body: [UInt8],
    key: [UInt8],
    now: Int64,
    tolerance: Int64 = 300
  ) -> Bool {
    let fields = header.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1) }
    let timestamps = fields.filter { $0.count == 2 && $0[0] == "t" }.compactMap { Int64($0[1]) }
    guard timestamps.count == 1, timestamps[0] >= 0, now >= 0 else { return false }
    guard abs(now - timestamps[0]) <= tolerance else { return false }
    let expected = code(for: body, at: timestamps[0], key: key)
    return fields.contains { field in
      guard field.count == 2, field[0] == "v1", let given = Hex.decode(String(field[1])) else { return false }
      return constantTimeEqual(given, expected)
    }
  }

  private static func code(for body: [UInt8], at timestamp: Int64, key: [UInt8]) -> [UInt8] {
    HMACSHA256.code(for: Array("\(timestamp).".utf8) + body, key: key)
  }
}
