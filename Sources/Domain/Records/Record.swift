/// A row of a record table: the columns of every record, and those of its type.
///
/// ```swift
/// let machine: Record<Machine> = …
/// machine.version      // of every record
/// machine.code         // of machines
/// ```
@dynamicMemberLookup
package struct Record<Fields: RecordFields>: Sendable, Hashable {
  /// The columns that every record has.
  package let base: RecordBase
  /// The columns of the record's type.
  package let fields: Fields

  /// Creates a record.
  package init(base: RecordBase, fields: Fields) {
    self.base = base
    self.fields = fields
  }

  /// The value of a column that every record has.
  package subscript<Value>(dynamicMember path: KeyPath<RecordBase, Value>) -> Value { base[keyPath: path] }

  /// The value of a column of the type.
  package subscript<Value>(dynamicMember path: KeyPath<Fields, Value>) -> Value { fields[keyPath: path] }
}

extension Record: Codable {
  /// Decodes both groups of columns from one object.
  package init(from decoder: any Decoder) throws {
    self.init(base: try RecordBase(from: decoder), fields: try Fields(from: decoder))
  }

  /// Encodes both groups of columns into one object.
  package func encode(to encoder: any Encoder) throws {
    try base.encode(to: encoder)
    try fields.encode(to: encoder)
  }
}

/// The columns of a record type, with the names that they have in its table.
package protocol RecordFields: Codable, Sendable, Hashable {
  /// The record type.
  static var typeName: String { get }
  /// All columns of the table, those of ``RecordBase`` first. A test compares them with PostgreSQL's
  /// catalogue.
  static var columns: [String] { get }
}
