package import Webhooks

extension APIRequest {
  /// The network of the client, for limits; see ``Webhooks/IPAddress/limitedNetwork``.
  package var network: String { IPAddress(address)?.limitedNetwork ?? address }
}

extension IPAddress {
  /// The network that limits count as one client: an IPv4 address, or the first 64 bits of an IPv6 address, since
  /// one client has all addresses with them.
  package var limitedNetwork: String {
    guard bytes.count == 16 else { return text }
    let prefix = Array(bytes[..<8]) + [UInt8](repeating: 0, count: 8)
    return (IPAddress(bytes: prefix)?.text ?? text) + "/64"
  }
}
