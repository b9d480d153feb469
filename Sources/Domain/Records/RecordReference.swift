/// A column that refers to a record of another type.
package struct RecordReference: Sendable, Hashable {
  /// The column.
  package let column: String
  /// The type of the target: a record type, `core.membership` or `core.attachment`.
  package let target: String
  /// The rule for the deletion of the target.
  package let onDelete: DeleteRule
  /// Columns whose values must equal those of the target, such as the machine of a meter.
  package let with: [String]

  /// The effect of deleting the target on the record that refers to it.
  package enum DeleteRule: String, Sendable, Codable, CaseIterable {
    /// The target cannot be deleted while the record is live.
    case restrict
    /// The record is deleted together with the target.
    case cascade
    /// The record stays, and refers to the deleted target.
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
