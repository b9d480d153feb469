package import FoundationEssentials

/// A record as read under its lock, with the results that only PostgreSQL can compute.
package struct RecordSnapshot: Sendable {
  /// True if the actor can see it: row-level security returned it, and reading it is permitted.
  package let isVisible: Bool
  /// The current state.
  package let status: String
  /// The version, which grows with every write.
  package let version: Int64
  /// The number of states entered so far; part of each timer's key.
  package let statusEntry: Int64
  /// The owners of the record: its creator and the members in the type's owner columns.
  package let owners: [UUID]
  /// The columns of its view before the change.
  package let fields: JSONObject
  /// The results of the guards by transition, in order; nil is SQL's null.
  package let guards: [String: [Bool?]]

  /// Creates a snapshot.
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
