internal import GRDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The SQLite database and the folder of files of one device.
final class LocalStore: Sendable {
  /// The folder of the store.
  let folder: String
  private let database: DatabaseQueue

  /// Opens a store, and creates it if there is none.
  ///
  /// The results of uploads that were in progress are unknown: these changes are pending again.
  init(folder: String) throws {
    self.folder = folder
    do {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/files",
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
      var configuration = GRDB.Configuration()
      configuration.journalMode = .wal
      configuration.busyMode = .timeout(10)
      // The app must not lose a change that it was told is stored.
      configuration.prepareDatabase { db in try db.execute(sql: "pragma synchronous = full") }
      database = try DatabaseQueue(path: "\(folder)/store.sqlite", configuration: configuration)
      try Schema.migrator.migrate(database)
    } catch {
      throw ClientError(.store, "the store in \(folder) cannot be opened: \(error)")
    }
    try database.write { db in
      try Outbox(db).restart()
      try Uploads(db).restart()
    }
  }

  /// Reads from one snapshot.
  func read<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws -> Value {
    try await database.read(body)
  }

  /// Writes in one transaction, which is rolled back if the closure throws.
  func write<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws -> Value {
    try await database.write(body)
  }

  /// Returns a value now, and again after each change of the tables that it was read from.
  func observe<Value: Sendable & Equatable>(_ body: @Sendable @escaping (Database) throws -> Value)
    -> Observation<Value>
  {
    Observation(ValueObservation.tracking(body).removeDuplicates().values(in: database))
  }

  /// The path of a file on this device.
  func path(of file: String, _ variant: FileVariant = .content) -> String {
    "\(folder)/files/\(file)\(variant == .thumbnail ? ".thumbnail" : "")"
  }

  /// Removes the bytes of all files.
  func removeFiles() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(folder)/files") {
      try FileManager.default.removeItem(atPath: "\(folder)/files/\(name)")
    }
  }
}
