internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordRule {
  /// An entry's category is a base category or belongs to the entry's machine. The engine sets the reporter's name,
  /// and the day where none is given.
  static let maintenanceEntry = RecordRule { fields, acting, pipeline in
    // Whether the category is archived is checked only where it is given: an entry keeps one archived later.
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
}
