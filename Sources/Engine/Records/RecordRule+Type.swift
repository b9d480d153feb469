internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension Records {
  /// The rule of a type: the one that comes with the program, and what the type's manifest asks of whoever writes its
  /// records.
  ///
  /// A private record belongs to a member, whom an operator in their own name is not; a type with an `entitlement`
  /// is written only while the company, or the member, has it.
  func rule(of type: RecordType) -> RecordRule? {
    let definition = type.definition
    let inner = rules[type.name]
    guard definition.scope == .owner || definition.entitlement != nil else { return inner }
    let asGiven: @Sendable (JSONObject) throws -> JSONObject = { $0 }
    return RecordRule(locksParents: inner?.locksParents ?? false, normalise: inner?.normalise ?? asGiven) {
      fields,
      seat,
      pipeline in
      let entitled = definition.entitlement.map {
        pipeline.rows(EntitlementStore.holds($0, company: seat.company.id, user: seat.user), Bool.self)
      }
      let verdict = try inner?.check(fields, seat, &pipeline)
      return { access in
        try RecordRule.requireOwner(definition, seat)
        if let entitled, let name = definition.entitlement, try entitled.first != true {
          throw RecordRule.missing(name, for: definition, seat)
        }
        return try verdict?(access) ?? [:]
      }
    }
  }
}

extension RecordRule {
  fileprivate static func requireOwner(_ type: RecordTypeDefinition, _ seat: Seat) throws {
    guard type.scope == .owner, seat.user == nil else { return }
    throw DomainError(
      .invalidInput,
      "\(type.plural) are private to a person",
      hint: "name the member with --as"
    )
  }

  fileprivate static func missing(_ name: String, for type: RecordTypeDefinition, _ seat: Seat) -> DomainError
  {
    DomainError(
      .entitlementRequired,
      "\(type.plural) take the entitlement \(name), which \(seat.company.slug) does not have",
      hint: "what is there can still be read; `fettle entitlement grant \(name)` is the operator's",
      details: ["entitlement": .string(name)]
    )
  }
}
