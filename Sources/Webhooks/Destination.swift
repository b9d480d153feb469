internal import Domain
internal import Glibc
package import Secrets

/// The kind of addresses to which the host of a URL resolves, checked before a webhook is stored.
///
/// The result is only advice, because a name can resolve differently later. A delivery checks the address to
/// which it connects.
package enum Destination: Sendable, Equatable {
  /// All addresses are public.
  case open
  /// At least one address is private. Workers that allow private networks can reach it.
  case isPrivate(address: String)
  /// At least one address is blocked for all workers, such as a link-local address.
  case closed(address: String)
  /// The host does not resolve now.
  case unresolved(host: String)

  /// Classifies the host of a URL. Resolving blocks, so it runs on a separate thread.
  ///
  /// - Throws: `busy` if too many lookups are in progress.
  package static func resolve(_ url: String) async throws(SecretsError) -> Destination {
    let host = host(of: url)
    return try await pool.run { judge(host, addresses(of: host)) }
  }

  /// Classifies the addresses of a host by the most restricted address.
  static func judge(_ host: String, _ addresses: [IPAddress]) -> Destination {
    guard !addresses.isEmpty else { return .unresolved(host: host) }
    if let address = addresses.first(where: { !NetworkPolicy.publicAndPrivate.allows($0) }) {
      return .closed(address: address.text)
    }
    if let address = addresses.first(where: { !NetworkPolicy.publicOnly.allows($0) }) {
      return .isPrivate(address: address.text)
    }
    return .open
  }

  /// Returns the host of a URL that ``Webhook/fault(in:)`` accepts, without port and brackets.
  static func host(of url: String) -> String {
    let afterScheme = url.drop { $0 != ":" }.dropFirst(3)
    let authority = afterScheme.prefix { !"/?#".contains($0) }
    if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
    return String(authority.prefix { $0 != ":" })
  }

  /// Returns the addresses of a host, in every notation that libcurl accepts; empty if it does not resolve.
  static func addresses(of host: String) -> [IPAddress] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [IPAddress] = []
    var next = list
    while let entry = next {
      if let address = address(in: entry.pointee) { found.append(address) }
      next = entry.pointee.ai_next
    }
    return found
  }

  private static func address(in entry: addrinfo) -> IPAddress? {
    guard let socket = entry.ai_addr else { return nil }
    let bytes = UnsafeRawBufferPointer(start: socket, count: Int(entry.ai_addrlen))
    // The address follows the family and the port, in IPv6 also the flow label.
    switch entry.ai_family {
    case AF_INET: return IPAddress(bytes: bytes.dropFirst(4).prefix(4))
    case AF_INET6: return IPAddress(bytes: bytes.dropFirst(8).prefix(16))
    default: return nil
    }
  }

  private static let pool = ThreadPool(threads: 4, queueLimit: 64)
}
