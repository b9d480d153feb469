internal import Domain

/// What a database still lacks, decided from what it has: pure, so that every case is tested without one.
package struct MigrationPlan: Sendable {
  /// A migration that the database has.
  package struct Applied: Sendable {
    package let app: String
    package let number: Int
    package let name: String
    package let checksum: [UInt8]

    package init(app: String, number: Int, name: String, checksum: [UInt8]) {
      self.app = app
      self.number = number
      self.name = name
      self.checksum = checksum
    }
  }

  /// The migrations to run, in order.
  package let pending: [Migration]

  /// Compares the files of one app with what was applied.
  ///
  /// - Throws: `migration_changed` if an applied file reads differently now, `migration_missing` if the database
  ///   is ahead of this binary or lacks one below its newest, or if the files are not numbered 1, 2, 3….
  package init(files: [Migration], applied: [Applied]) throws {
    for (index, file) in files.enumerated() where file.number != index + 1 {
      throw DomainError.migrationGap(app: file.app, expected: index + 1, found: file.number)
    }
    for record in applied {
      guard let file = files.first(where: { $0.number == record.number }) else {
        throw DomainError.migrationUnknown(app: record.app, number: record.number, name: record.name)
      }
      guard file.isApplied(as: record.checksum) else {
        throw DomainError.migrationChanged(app: file.app, number: file.number, name: file.name)
      }
    }
    for (index, number) in applied.map(\.number).sorted().enumerated() where number != index + 1 {
      throw DomainError.migrationSkipped(app: files.first?.app ?? "", missing: index + 1, found: number)
    }
    pending = Array(files.dropFirst(applied.count))
  }
}
