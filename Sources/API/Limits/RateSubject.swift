package import Domain
package import FoundationEssentials

/// The subject of a limit.
///
/// It is made from parsed values only. Text of a client has many spellings of one account, such as an address with a blank
/// at its end, and a limit that counted each of them would hold for none.
package struct RateSubject: Sendable, Hashable, CustomStringConvertible {
  /// The text whose keyed hash is stored.
  package let description: String

  init(_ text: String) { description = text }

  /// An account, by its address.
  package static func account(_ address: EmailAddress) -> RateSubject { RateSubject(address.key) }

  /// An account, company or session, by its id.
  package static func id(_ id: UUID) -> RateSubject { RateSubject(id.uuidString) }
}

/// The networks of a client, which limits count.
package struct ClientNetworks: Sendable {
  /// The network of the client; see ``Domain/IPAddress/limitedNetwork``.
  package let own: RateSubject
  /// The network of its site, for which rules have a limit of their own; nil for IPv4.
  package let site: RateSubject?
}

extension APIRequest {
  /// The networks of the client. The address is the server's own knowledge, not text of the client.
  package var networks: ClientNetworks {
    guard let address = IPAddress(address) else {
      return ClientNetworks(own: RateSubject(address), site: nil)
    }
    return ClientNetworks(
      own: RateSubject(address.limitedNetwork),
      site: address.siteNetwork.map(RateSubject.init)
    )
  }
}
