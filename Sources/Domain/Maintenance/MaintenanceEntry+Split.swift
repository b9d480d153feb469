package import FoundationEssentials

extension MaintenanceEntry {
  /// Returns the fields of the entry that continues this one after a partial completion.
  ///
  /// They are the machine, category, summary, estimated hours, priority, assignee, due date and plan.
  /// Recorded hours stay with this entry.
  ///
  /// - Parameters:
  ///   - id: the id of this entry.
  ///   - changes: fields of the new entry that differ, by column, such as `description` and
  ///     `estimated_hours`.
  /// - Throws: `wrong_state` unless this entry can be completed.
  package func remainder(of id: UUID, changes: JSONObject) throws(DomainError) -> JSONObject {
    _ = try status.after(.complete)
    let kept: [(CodingKeys, String?)] = [
      (.splitFrom, id.text), (.machineID, machineID.text), (.categoryID, categoryID.text),
      (.summary, summary),
      (.estimatedHours, estimatedHours.description), (.priority, String(priority)),
      (.assignedTo, assignedTo?.text),
      (.dueOn, dueOn?.description), (.planID, planID?.text),
    ]
    var fields: JSONObject = [:]
    for (key, value) in kept { if let value { fields[key.rawValue] = .string(value) } }
    for (column, value) in changes.members { fields[column] = value }
    return fields
  }
}
