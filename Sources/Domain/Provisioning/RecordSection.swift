/// Records of one type, as a file lists them or as the database has them.
package struct RecordSection: Sendable, Hashable {
  /// The record type.
  package let type: String
  /// Where in the file the section stands; empty for the database.
  package let path: String
  /// The records.
  package let records: [RecordText]

  /// Puts a section together.
  package init(type: String, path: String = "", records: [RecordText]) {
    self.type = type
    self.path = path
    self.records = records
  }
}

/// A record before its type is known: what stands before the colon, and the fields behind it.
package struct RecordText: Sendable, Hashable {
  /// What the record is called, which is the last column of its type's key; nil where it stands among the fields.
  package let name: String?
  /// The fields as they are written; references by the other record's key.
  package let fields: JSONObject
  /// Where in the file it stands.
  package let path: String

  /// Puts a record together.
  package init(name: String?, fields: JSONObject, path: String) {
    self.name = name
    self.fields = fields
    self.path = path
  }
}
