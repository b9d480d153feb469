/// A column that references a record of another type.
package struct RecordReference: Sendable, Hashable {
  /// The column.
  package let column: String
  /// The target: a record type, `core.membership` or `core.attachment`.
  package let target: String
  /// The effect on this record if the target is deleted.
  package let onDelete: DeleteRule
  /// Columns that must equal the target's columns of the same name, such as the machine of a meter.
  package let with: [String]

  /// The effect on a record if the target of its reference is deleted.
  package enum DeleteRule: String, Sendable, Codable, CaseIterable {
    /// The target cannot be deleted while this record is live.
    case restrict
    /// This record is deleted too.
    case cascade
    /// This record stays and keeps referencing the tombstone.
    case keep
  }

  /// Creates a reference.
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
