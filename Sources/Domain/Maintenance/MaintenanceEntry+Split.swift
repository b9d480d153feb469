package import FoundationEssentials

extension MaintenanceEntry {
  /// The fields of the entry that carries on when this one is completed in part.
  ///
  /// It keeps the machine, the category, the plan and the assignee. Hours stay with the entry they were worked on.
  ///
  /// - Parameters:
  ///   - id: the id of this entry.
  ///   - changes: the fields that differ, such as `description` and `estimated_hours`.
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
