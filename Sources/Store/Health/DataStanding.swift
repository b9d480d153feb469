package import FoundationEssentials
package import Postgres

/// Where the data of a database are: on which server, at which position of its log, and in which epoch.
package struct DataStanding: RowDecodable, Sendable, Hashable {
  /// Identifies the installation, also after a restore.
  package let installation: UUID
  package let epoch: UUID
  /// The epochs that ``epoch`` replaced.
  package let replaced: [UUID]
  /// True if an operator announced a promotion that loses nothing.
  package let isKept: Bool
  /// The identifier of the server's data folder.
  package let system: String
  /// The timeline of the server's log; a promotion begins a new one.
  package let timeline: Int64
  /// The position in the server's log.
  package let position: Int64
  /// The number of the database on its server.
  package let database: Int64
  /// True if commits wait for a standby, so that a promotion of that standby loses none.
  package let isSynchronous: Bool

  package init(
    installation: UUID,
    epoch: UUID,
    replaced: [UUID],
    isKept: Bool,
    system: String,
    timeline: Int64,
    position: Int64,
    database: Int64 = 1,
    isSynchronous: Bool = false
  ) {
    self.installation = installation
    self.epoch = epoch
    self.replaced = replaced
    self.isKept = isKept
    self.system = system
    self.timeline = timeline
    self.position = position
    self.database = database
    self.isSynchronous = isSynchronous
  }

  package init(row: inout RowReader) throws(PostgresError) {
    installation = try row.next()
    epoch = try row.next()
    replaced = try row.next()
    isKept = try row.next()
    system = try row.next()
    timeline = try row.next()
    position = try row.next()
    database = try row.next()
    isSynchronous = try row.next()
  }

  /// Reads it; nil from a standby, on which nobody can write.
  package static func read(_ session: Session) throws -> DataStanding? {
    try session.rows(
      """
      select s.installation, s.epoch, s.replaced, s.is_kept, s.system, s.timeline, s.log_position, s.database,
        s.is_synchronous
      from core.data_standing() s
      """,
      as: DataStanding.self
    ).first
  }

  /// Reads it; nil from a standby, on which nobody can write.
  package static func read(_ database: Database) async throws -> DataStanding? {
    try await database.statements { try read($0) }
  }
}
