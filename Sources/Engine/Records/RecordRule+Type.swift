internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension Records {
  /// Returns the rule of a type: the compiled rule extended by the manifest's requirements; nil if there are
  /// neither.
  ///
  /// A private record belongs to a member, so an operator in their own name cannot create or edit one. A type
  /// with an `entitlement` can be written only while the company or the member has the entitlement.
  func rule(of type: RecordType) -> RecordRule? {
    let definition = type.definition
    let inner = rules[type.name]
    guard definition.scope == .owner || definition.entitlement != nil else { return inner }
    // Without a compiled rule, the check reads no record.
    let rule = inner ?? RecordRule(reads: []) { _, _, _ in { _ in [:] } }
    return rule.checking { fields, acting, pipeline in
      let entitled = definition.entitlement.map {
        pipeline.rows(EntitlementStore.holds($0, company: acting.company.id, user: acting.user), Bool.self)
      }
      let verdict = try rule.check(fields, acting, &pipeline)
      return { access in
        try type.requireOwner(acting)
        if let entitled, try entitled.first != true { throw type.lacksEntitlement(acting) }
        return try verdict(access)
      }
    }
  }
}

extension RecordType {
  /// The error for a record that cannot be written without the entitlement of its type.
  func lacksEntitlement(_ acting: ActingContext) -> DomainError {
    let entitlement = definition.entitlement ?? ""
    return DomainError(
      .entitlementRequired,
      "\(definition.plural) require the entitlement \(entitlement), which \(acting.company.slug) lacks",
      hint: "ask an operator to run `fettle entitlement grant \(entitlement)`",
      details: ["entitlement": .string(entitlement)]
    )
  }
}
