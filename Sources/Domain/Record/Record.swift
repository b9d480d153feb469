/// One row of a record table: the columns that every record has, and those of its type.
///
/// ```swift
/// let machine: Record<Machine> = …
/// machine.version      // of every record
/// machine.code         // of machines
/// ```
@dynamicMemberLookup
package struct Record<Fields: RecordFields>: Sendable, Hashable {
  /// The columns of every record.
  package let base: RecordBase
  /// The columns of the type.
  package let fields: Fields

  /// Creates a row.
  package init(base: RecordBase, fields: Fields) {
    self.base = base
    self.fields = fields
  }

  /// A column of every record.
  package subscript<Value>(dynamicMember path: KeyPath<RecordBase, Value>) -> Value { base[keyPath: path] }

  /// A column of the type.
  package subscript<Value>(dynamicMember path: KeyPath<Fields, Value>) -> Value { fields[keyPath: path] }
}

extension Record: Codable {
  /// Decodes both from one object.
  package init(from decoder: any Decoder) throws {
    self.init(base: try RecordBase(from: decoder), fields: try Fields(from: decoder))
  }

  /// Encodes both into one object.
  package func encode(to encoder: any Encoder) throws {
    try base.encode(to: encoder)
    try fields.encode(to: encoder)
  }
}

/// The columns of one record type, under the names they have in its table.
package protocol RecordFields: Codable, Sendable, Hashable {
  /// The record type.
  static var typeName: String { get }
  /// All columns of its table, base columns first; a test compares them with the catalogue.
  static var columns: [String] { get }
}
