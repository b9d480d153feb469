internal import Webhooks

extension APIRequest {
  /// The network of the client, for limits: an IPv4 address, or the first 64 bits of an IPv6 address, since one
  /// client has all addresses with them.
  package var network: String {
    guard let address = IPAddress(address) else { return address }
    guard address.bytes.count == 16 else { return address.text }
    let prefix = Array(address.bytes[..<8]) + [UInt8](repeating: 0, count: 8)
    return (IPAddress(bytes: prefix)?.text ?? address.text) + "/64"
  }
}
