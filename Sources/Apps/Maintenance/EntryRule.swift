internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordRule {
  /// Requires a base category or one of the entry's own machine; stamps the reporter's name and the day.
  static let maintenanceEntry = RecordRule { fields, acting, pipeline in
    let machine = fields["machine_id"]?.string
    let category = fields["category_id"]?.string.flatMap(UUID.init(uuidString:))
    // Archived categories are refused only where a category is set, since an entry keeps one that was
    // archived later.
    let owner = category.map { id in
      pipeline.rows(
        """
        select k.machine_id from maintenance.category k
        where k.company_id = \(acting.company.id) and k.id = \(id)
        """,
        UUID?.self
      )
    }
    return { access in
      if let owner {
        guard let found = try owner.first else {
          throw DomainError(.notFound, "there is no such category", hint: "`fettle category list` shows them")
        }
        if let only = found, only.text != machine?.lowercased() {
          throw DomainError(.categoryOfOtherMachine)
        }
      }
      var computed: JSONObject = [:]
      if fields["reported_on"] == nil { computed["reported_on"] = .string(access.today.description) }
      if let name = access.userName { computed["created_by_name"] = .string(name) }
      return computed
    }
  }
}
