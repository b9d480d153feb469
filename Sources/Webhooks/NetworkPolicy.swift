package import Domain

/// The addresses that webhooks may reach.
///
/// Without a policy, a member who may add webhooks could send requests to services of this machine, to its
/// private network and to the cloud's metadata address.
package struct NetworkPolicy: Sendable, Equatable {
  private let allowed: [Network]

  /// Allows public addresses only.
  package static let publicOnly = NetworkPolicy(allowing: [])

  /// Allows public addresses, this machine (127.0.0.0/8, ::1) and private networks, for operators who trust
  /// all members who may add webhooks. Link-local addresses, such as those of metadata services, stay
  /// blocked.
  package static let publicAndPrivate = NetworkPolicy(
    allowing: ["127.0.0.0/8", "::1", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"].compactMap {
      Network($0)
    }
  )

  /// Allows public addresses and these networks.
  package init(allowing networks: [Network]) {
    allowed = networks
  }

  /// True if a connection to the address may be opened.
  package func allows(_ address: IPAddress) -> Bool {
    allowed.contains { $0.contains(address) } || Self.isPublic(address)
  }

  /// True if the IANA registries of special-purpose addresses (RFC 6890) do not reserve the address.
  static func isPublic(_ address: IPAddress) -> Bool {
    if address.bytes.count == 4 { return !special4.contains { $0.contains(address) } }
    return global6.contains { $0.contains(address) } && !special6.contains { $0.contains(address) }
  }

  private static let special4 = [
    "0.0.0.0/8",  // this network
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  // private
    "100.64.0.0/10",  // carrier-grade NAT
    "127.0.0.0/8",  // loopback
    "169.254.0.0/16",  // link-local, cloud metadata
    "192.0.0.0/24", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",  // protocols, documentation
    "192.88.99.0/24",  // 6to4 relays
    "198.18.0.0/15",  // benchmarks
    "224.0.0.0/4", "240.0.0.0/4",  // multicast, reserved, broadcast
  ].compactMap { Network($0) }

  /// All addresses that are routed today. This excludes ::, ::1 and the unique local, link-local, site-local
  /// and multicast addresses.
  private static let global6 = ["2000::/3"].compactMap { Network($0) }

  private static let special6 = [
    "2001::/23",  // protocols such as Teredo, which embeds an IPv4 address
    "2001:db8::/32", "3fff::/20",  // documentation
  ].compactMap { Network($0) }
}
