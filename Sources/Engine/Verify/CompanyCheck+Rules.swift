internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension CompanyCheck {
  /// The number of records that are checked together.
  private static let page = 500

  /// Finds living records that their type's rules would refuse today, and those without a value that the rule computes.
  mutating func checkRules(of type: RecordType, owner: UUID?) throws {
    let check = StoredRuleCheck(type, rules[type.name], company: company, owner: owner)
    let context = check.acting.context(requestID: company.id)
    guard let access = try tx.first(Access.query(context), as: Access.self) else { return }
    // The questions of rules look up single rows.
    try tx.execute("set local enable_nestloop = on")
    var last: UUID?
    repeat {
      let records = try tx.rows(check.page(after: last, limit: Self.page), as: StoredRecord.self)
      for fault in try check.faults(of: records, access, tx) { report.add(finding(fault, type)) }
      last = records.count == Self.page ? records.last?.id : nil
    } while last != nil
    try tx.execute("set local enable_nestloop = off")
  }

  private func finding(_ fault: StoredRuleCheck.Fault, _ type: RecordType) -> VerifyFinding {
    let (code, what): (VerifyFinding.Code, String) =
      if let refusal = fault.refusal {
        (.ruleRefuses, "it would be refused today: \(refusal.code.rawValue), \(refusal.message)")
      } else {
        (.valueMissing, "it has no \(fault.missing ?? ""), which is computed for every record of its type")
      }
    return VerifyFinding(code, company: company.slug, type: type.name, record: fault.id, what)
  }
}
