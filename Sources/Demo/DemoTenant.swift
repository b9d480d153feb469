internal import Domain
internal import FoundationEssentials
internal import Secrets

/// A made-up company and what it is going to have.
struct DemoTenant: Sendable {
  /// Somebody who belongs to it.
  struct Member: Sendable {
    let id: UUID
    let email: String
    let name: String
    let role: String
    let isActive: Bool
  }

  /// Its place among all companies.
  let index: Int
  let id: UUID
  let slug: String
  let name: String
  let kind: String
  let timeZone: String
  let members: [Member]
  /// How many of each thing it has.
  let counts: Counts

  /// How many of each thing a company has.
  struct Counts: Sendable {
    var invites = 0
    var machines = 0
    var customCategories = 0
    var entries = 0
    var timeEntries = 0
    var items = 0
    var claims = 0
    var macroEntries = 0
    var sites = 0
    var recordings = 0
    var plans = 0
    var stops = 0
    var conversations = 0
    var messages = 0
    var jobs = 0
  }

  /// The members who do things.
  var active: [Member] { members.filter(\.isActive) }

  /// The members who keep private records: removed members had none, and viewers keep none.
  var keepers: [Member] { active.filter { $0.role != "viewer" } }
}

/// Ids that are the same in every run: UUIDs of version 5 over series, type and index.
struct DemoIDs: Sendable {
  let series: DemoSeries

  private static let namespace = UUID(number: 0x7d44_4d2e_5a8c_4e0b_9a51_2f6b_10de_7700)

  /// The id of a thing.
  func id(_ type: String, _ index: Int) -> UUID { id(type, "\(index)") }

  /// The id of a thing that a word names.
  func id(_ type: String, _ name: String) -> UUID {
    UUID.version5(namespace: Self.namespace, name: "\(series)/\(type)/\(name)")
  }
}
