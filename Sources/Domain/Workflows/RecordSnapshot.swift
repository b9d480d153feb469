package import FoundationEssentials

/// A record as read under its lock, with the results that PostgreSQL computes.
package struct RecordSnapshot: Sendable {
  /// True if the actor can see the record: row-level security returns it, and the actor may read it.
  package let isVisible: Bool
  /// The current status.
  package let status: String
  /// The version, which grows by one with every write.
  package let version: Int64
  /// The number of times that the record has entered a status. It is part of the keys of its timers.
  package let statusEntry: Int64
  /// The ids of the owners: the creator, and the members in the type's owner columns.
  package let owners: [UUID]
  /// The columns of the record's view before the change.
  package let fields: JSONObject
  /// PostgreSQL's results for the guards, by transition and in the order of the guards; nil is SQL's null.
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
