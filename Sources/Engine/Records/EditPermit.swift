internal import Domain
internal import Store

/// Whether the actor may change these fields of this record now: the type's edit rules, tried in order.
struct EditPermit {
  let type: RecordType
  let rights: Rights
  let reading: RecordReading

  /// - Throws: `forbidden`, or what the company's status forbids.
  func require(_ fields: [String], writing: Bool) throws {
    try CompanyStatus(rawValue: rights.access.companyStatus)?.require(.write)
    guard !rights.isUnbound else { return }
    let rules = type.definition.edit
    guard !rules.isEmpty else {
      guard reaches("\(type.name).update") else { throw refusal(fields) }
      return
    }
    let holding = rules.enumerated().contains { index, rule in
      reading.guards.indices.contains(index) && reading.guards[index] == true
        && reaches(rule.permission(on: type.name).name)
        && fields.allSatisfy { rule.fields?.contains($0) ?? true }
    }
    guard holding else { throw refusal(fields) }
  }

  private func reaches(_ name: String) -> Bool {
    guard let permission = try? Permission(parsing: name) else { return false }  // no such name, no right
    switch rights.granted.reach(of: permission) {
    case .all: return true
    case .own: return rights.user.map(reading.snapshot.owners.contains) ?? false
    case .none: return false
    }
  }

  private func refusal(_ fields: [String]) -> DomainError {
    DomainError(
      .forbidden,
      "\(rights.access.userName ?? "this member") may not change \(fields.joined(separator: ", ")) of this "
        + type.definition.label.lowercased(),
      details: ["permission": .string("\(type.name).update")])
  }
}
