package import FoundationEssentials
internal import Secrets

/// A made-up company with its people.
package struct DemoTenant: Sendable {
  /// A member of the company.
  package struct Member: Sendable {
    package let id: UUID
    package let email: String
    package let name: String
    package let role: String
    package let isActive: Bool
  }

  /// Its place among all companies.
  package let index: Int
  package let id: UUID
  package let slug: String
  package let name: String
  package let kind: String
  package let timeZone: String
  package let members: [Member]
  /// The number of its invites.
  let invites: Int
  /// The number of its jobs that ended.
  let jobs: Int

  /// The members who do things.
  package var active: [Member] { members.filter(\.isActive) }

  /// The members who keep private records: removed members had none, and viewers keep none.
  package var keepers: [Member] { active.filter { $0.role != "viewer" } }
}

/// Ids that are the same in every run: UUIDs of version 5 over series, type and index.
package struct DemoIDs: Sendable {
  package let series: DemoSeries

  private static let namespace = UUID(number: 0x7d44_4d2e_5a8c_4e0b_9a51_2f6b_10de_7700)

  /// The id of a thing.
  package func id(_ type: String, _ index: Int) -> UUID { id(type, "\(index)") }

  /// The id of a thing that a word names.
  package func id(_ type: String, _ name: String) -> UUID {
    UUID.version5(namespace: Self.namespace, name: "\(series)/\(type)/\(name)")
  }
}
