/// The records of one type in a file.
package struct RecordSection: Sendable, Hashable {
  /// The record type.
  package let type: String
  /// The position of the section in the file.
  package let path: String
  /// The records.
  package let records: [RecordText]

  package init(type: String, path: String = "", records: [RecordText]) {
    self.type = type
    self.path = path
    self.records = records
  }
}

/// A record of a file before its type is known: its name and its fields.
package struct RecordText: Sendable, Hashable {
  /// The name, which is the last column of the type's key; nil if it is among the fields.
  package let name: String?
  /// The fields; references as the other record's key.
  package let fields: JSONObject
  /// The position in the file.
  package let path: String

  package init(name: String?, fields: JSONObject, path: String) {
    self.name = name
    self.fields = fields
    self.path = path
  }
}
