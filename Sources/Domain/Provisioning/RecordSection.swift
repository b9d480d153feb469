/// The records of one type in a provisioning file.
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

/// A record of a file before its type is known.
package struct RecordText: Sendable, Hashable {
  /// The name, which is the value of the last key column; nil if the fields contain it.
  package let name: String?
  /// The fields by name. A reference is the key of its target.
  package let fields: JSONObject
  /// The position of the record in the file.
  package let path: String

  package init(name: String?, fields: JSONObject, path: String) {
    self.name = name
    self.fields = fields
    self.path = path
  }
}
