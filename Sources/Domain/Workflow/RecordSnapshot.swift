package import FoundationEssentials

/// A record as it was read under its lock, with the answers that only PostgreSQL can give.
package struct RecordSnapshot: Sendable {
  /// Whether the actor sees it: it was found under row-level security, and reading it is permitted.
  package let isVisible: Bool
  /// The state it is in.
  package let status: String
  /// Its version, which grows with every write.
  package let version: Int64
  /// Number of states entered so far; part of each timer's key.
  package let statusEntry: Int64
  /// The people for whom it is their own: who made it, and whoever the type names besides.
  package let owners: [UUID]
  /// The columns of its view before the change.
  package let fields: JSONObject
  /// Per transition, what each guard said, in order; nil is SQL's null.
  package let guards: [String: [Bool?]]

  /// Puts a snapshot together.
  package init(
    isVisible: Bool = true,
    status: String,
    version: Int64 = 1,
    statusEntry: Int64 = 1,
    owners: [UUID] = [],
    fields: JSONObject = [:],
    guards: [String: [Bool?]] = [:]
  ) {
    self.isVisible = isVisible
    self.status = status
    self.version = version
    self.statusEntry = statusEntry
    self.owners = owners
    self.fields = fields
    self.guards = guards
  }
}
