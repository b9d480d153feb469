/// A column that points to a record of another type.
package struct RecordReference: Sendable, Hashable {
  /// The column.
  package let column: String
  /// Target: a record type, `core.membership` or `core.attachment`.
  package let target: String
  /// Effect on this record when the target is deleted.
  package let onDelete: DeleteRule
  /// Columns that must agree with the other record's columns of the same name, such as the machine of a meter.
  package let with: [String]

  /// Effect on a record when the target of its reference is deleted.
  package enum DeleteRule: String, Sendable, Codable, CaseIterable {
    /// The other cannot be deleted while this one lives.
    case restrict
    /// This one is deleted too.
    case cascade
    /// This one stays and keeps pointing to the tombstone.
    case keep
  }

  /// Puts a reference together.
  package init(column: String, target: String, onDelete: DeleteRule, with: [String] = []) {
    self.column = column
    self.target = target
    self.onDelete = onDelete
    self.with = with
  }
}

extension RecordReference: NamedDecodable, Encodable {
  private enum CodingKeys: String, CodingKey {
    case name, to, with
    case onDelete = "on_delete"
  }

  package init(name: String?, from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["to", "on_delete", "with"] + (name == nil ? ["name"] : []))
    self.init(
      column: try name ?? object.required("name"),
      target: try object.required("to"),
      onDelete: try object.required("on_delete"),
      with: try object.value("with", default: [])
    )
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(column, forKey: .name)
    try container.encode(target, forKey: .to)
    try container.encode(onDelete, forKey: .onDelete)
    if !with.isEmpty { try container.encode(with, forKey: .with) }
  }
}
