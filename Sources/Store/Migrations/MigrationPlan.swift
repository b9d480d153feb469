internal import Domain

/// The files of tables and changes that a database still needs. Pure: all cases are tested without a
/// database.
package struct MigrationPlan: Sendable {
  /// A file that was applied to the database.
  package struct Applied: Sendable {
    package let app: String
    package let kind: Migration.Kind
    package let number: Int
    package let name: String
    package let checksum: [UInt8]

    package init(app: String, kind: Migration.Kind, number: Int, name: String, checksum: [UInt8]) {
      self.app = app
      self.kind = kind
      self.number = number
      self.name = name
      self.checksum = checksum
    }
  }

  /// The files to apply, in order: tables first, then changes.
  package let pending: [Migration]

  /// Compares the files of one app with the applied ones.
  ///
  /// - Throws: `migration_changed` if an applied file has changed since; `migration_missing` if the database
  ///   has a file that this program lacks, if two files of tables have one number, or if the files or the
  ///   applied changes are not numbered 1, 2, 3….
  package init(files: [Migration], applied: [Applied]) throws {
    for record in applied {
      guard let file = files.first(where: { $0.kind == record.kind && $0.number == record.number }) else {
        throw DomainError.migrationUnknown(record)
      }
      guard file.checksum == record.checksum else { throw DomainError.migrationChanged(file) }
    }
    let tables = files.filter { $0.kind == .tables }.sorted { $0.number < $1.number }
    for (file, next) in zip(tables, tables.dropFirst()) where file.number == next.number {
      throw DomainError.migrationTwice(file, next)
    }
    let changes = files.filter { $0.kind == .change }.sorted { $0.number < $1.number }
    for (index, file) in changes.enumerated() where file.number != index + 1 {
      throw DomainError.migrationGap(app: file.app, expected: index + 1, found: file.number)
    }
    let done = applied.filter { $0.kind == .change }.map(\.number).sorted()
    for (index, number) in done.enumerated() where number != index + 1 {
      throw DomainError.migrationSkipped(app: files.first?.app ?? "", missing: index + 1, found: number)
    }
    pending = (tables + changes).filter { file in
      !applied.contains { $0.kind == file.kind && $0.number == file.number }
    }
  }
}
