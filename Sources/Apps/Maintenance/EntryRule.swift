internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordRule {
  /// Requires a base category or a category of the entry's machine. Computes the reporter's name at creation,
  /// and the day of the report if it is missing: today in the company's time zone.
  static let maintenanceEntry = RecordRule(
    reads: columns,
    atCreation: [MaintenanceEntry.CodingKeys.createdByName.rawValue],
    fills: [MaintenanceEntry.CodingKeys.reportedOn.rawValue]
  ) { fields, acting, pipeline in
    // Does not check whether the category is deleted: the engine does so when the field is given. Thus an
    // entry keeps a category that is deleted later.
    let category = CategoryCheck(fields, acting, &pipeline)
    return { access in
      try category.require()
      var computed: JSONObject = [:]
      if fields[MaintenanceEntry.CodingKeys.reportedOn.rawValue] == nil {
        computed[MaintenanceEntry.CodingKeys.reportedOn.rawValue] = .string(access.today.description)
      }
      if let name = access.userName {
        computed[MaintenanceEntry.CodingKeys.createdByName.rawValue] = .string(name)
      }
      return computed
    }
  }

  /// The columns that decide about an edited entry.
  private static let columns = [
    MaintenanceEntry.CodingKeys.machineID, .categoryID, .reportedOn,
  ].map(\.rawValue)
}
