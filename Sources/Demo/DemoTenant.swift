package import FoundationEssentials
internal import Secrets

/// A generated company with its members.
package struct DemoTenant: Sendable {
  /// A member of the company.
  package struct Member: Sendable {
    package let id: UUID
    package let email: String
    package let name: String
    package let role: String
    package let isActive: Bool
  }

  /// Index of the company in the load.
  package let index: Int
  package let id: UUID
  package let slug: String
  package let name: String
  package let kind: String
  package let timeZone: String
  package let members: [Member]
  /// Number of invite codes.
  let invites: Int
  /// Number of finished jobs.
  let jobs: Int

  /// The active members.
  package var active: [Member] { members.filter(\.isActive) }

  /// The members with private records: active, and not viewers.
  package var keepers: [Member] { active.filter { $0.role != "viewer" } }
}

/// Deterministic ids: UUIDs of version 5 from series, type and index or name.
package struct DemoIDs: Sendable {
  package let series: DemoSeries

  private static let namespace = UUID(number: 0x7d44_4d2e_5a8c_4e0b_9a51_2f6b_10de_7700)

  /// Returns the id for an index.
  package func id(_ type: String, _ index: Int) -> UUID { id(type, "\(index)") }

  /// Returns the id for a name.
  package func id(_ type: String, _ name: String) -> UUID {
    UUID.version5(namespace: Self.namespace, name: "\(series)/\(type)/\(name)")
  }
}
