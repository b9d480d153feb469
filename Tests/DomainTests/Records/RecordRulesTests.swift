import Testing

@testable import Domain

@Suite struct RecordRulesTests {
  private static func rules(_ type: String = "maintenance.entry") throws -> RecordRules {
    let manifest = try Fixture.manifest()
    let type = try #require(manifest.type(type))
    return RecordRules(type, workflow: type.workflow.flatMap(manifest.workflow))
  }

  /// The results of the three edit rules for an entry in a status.
  private static func conditions(_ status: String) -> [Bool?] {
    [nil, status == "pending", status == "in_progress"]
  }

  private static func edit(
    _ fields: JSONObject,
    _ role: BuiltInRole,
    status: String = "pending",
    owner: Bool = true,
    version: Int64? = nil
  ) -> ErrorCode? {
    do {
      let record = RecordSnapshot(status: status, version: 3, owners: owner ? [Fixture.ana] : [Fixture.ben])
      try rules().requireEdit(
        RecordPatch(fields, expectedVersion: version),
        of: record,
        by: Fixture.rights(role),
        conditions: conditions(status)
      )
      return nil
    } catch {
      return (error as? DomainError)?.code
    }
  }

  @Test func `a user edits an own entry while it waits`() {
    #expect(Self.edit(["description": "x"], .user) == nil)
    #expect(Self.edit(["description": "x"], .user, owner: false) == .forbidden)
    #expect(Self.edit(["description": "x"], .user, status: "in_progress") == .wrongState)
    #expect(Self.edit(["description": "x"], .user, status: "completed") == .wrongState)
    #expect(Self.edit(["description": "x"], .viewer) == .forbidden)
  }

  @Test func `a member who may complete edits the note of started work, and no other field`() {
    #expect(
      Self.edit(["completion_note": "x", "actual_cost": 5], .user, status: "in_progress", owner: false) == nil
    )
    #expect(
      Self.edit(["completion_note": "x", "description": "y"], .user, status: "in_progress") == .wrongState
    )
    #expect(Self.edit(["completion_note": "x"], .user, status: "completed") == .wrongState)
  }

  @Test func `an admin edits whatever is editable, whenever`() {
    for status in ["pending", "in_progress", "completed"] {
      #expect(
        Self.edit(["description": "x", "actual_cost": nil], .admin, status: status, owner: false) == nil
      )
    }
  }

  @Test func `columns of the engine are written by nobody else`() {
    let columns =
      RecordBase.columns + ["status", "status_category", "started_at", "created_by_name", "machine_id"]
    for column in columns {
      #expect(Self.edit([(column): "x"], .owner) == .fieldNotEditable, "\(column)")
    }
    #expect(Self.edit(["descripton": "x"], .owner) == .unknownFields)
    #expect(Self.edit(["description": "x"], .owner, version: 2) == .stale)
    #expect(Self.edit(["description": "x"], .owner, version: 3) == nil)
  }

  @Test func `a creation gives fixed and editable columns, and nothing that makes it completed`() throws {
    let rules = try Self.rules()
    let user = try Fixture.rights(.user)
    try rules.requireCreate(["machine_id": "m", "description": "x"], by: user)
    for column in ["status", "completed_at", "created_by", "created_by_name", "company_id", "version"] {
      #expect(
        refusal { try rules.requireCreate([(column): "x"], by: user) }?.code == .fieldNotEditable,
        "\(column)"
      )
    }
    #expect(refusal { try rules.requireCreate([:], by: Fixture.rights(.viewer)) }?.code == .forbidden)
    let suspended = try Fixture.rights(.user, company: .suspended)
    #expect(refusal { try rules.requireCreate([:], by: suspended) }?.code == .companySuspended)
  }

  @Test func `a refusal suggests the field that was meant`() throws {
    let error = refusal { try Self.rules().requireCreate(["descripton": "x"], by: Fixture.rights(.user)) }
    #expect(error?.hint == "did you mean description?")
  }

  @Test func `deleting one's own holds where editing one's own does`() throws {
    let rules = try Self.rules("maintenance.time_entry")
    let user = try Fixture.rights(.user)
    let own = RecordSnapshot(status: "", owners: [Fixture.ben, Fixture.ana])
    try rules.requireDelete(own, by: user, conditions: [nil, true])
    #expect(
      refusal { try rules.requireDelete(own, by: user, conditions: [nil, false]) }?.code == .wrongState
    )
    #expect(refusal { try rules.requireDelete(own, by: user, conditions: [nil, nil]) }?.code == .wrongState)
    #expect(refusal { try rules.requireDelete(own, by: user, conditions: []) }?.code == .wrongState)
    let other = RecordSnapshot(status: "", owners: [Fixture.ben])
    #expect(
      refusal { try rules.requireDelete(other, by: user, conditions: [nil, true]) }?.code == .forbidden
    )
    try rules.requireDelete(other, by: Fixture.rights(.admin), conditions: [nil, false])
    #expect(
      refusal { try rules.requireDelete(own, expectedVersion: 9, by: user, conditions: [nil, true]) }?.code
        == .stale
    )
  }

  @Test func `a record can be edited if one of its fields can`() throws {
    let manifest = try Fixture.manifest()
    for type in manifest.types {
      let rules = RecordRules(type, workflow: type.workflow.flatMap(manifest.workflow))
      for role in BuiltInRole.allCases {
        for company in [CompanyStatus.active, .suspended] {
          let rights = try Fixture.rights(role, company: company)
          for owner in [Fixture.ana, Fixture.ben] {
            for mask in 0..<8 {
              let record = RecordSnapshot(isVisible: mask != 7, status: "", owners: [owner])
              let conditions: [Bool?] = (0..<3).map { mask & 1 << $0 != 0 }
              let single = rules.editable.contains { field in
                let patch = RecordPatch([field: .null])
                return (try? rules.requireEdit(patch, of: record, by: rights, conditions: conditions)) != nil
              }
              let permitted = rules.permitsEdit(of: record, by: rights, conditions: conditions)
              #expect(permitted == single, "\(type.name) \(role) \(company) \(owner) \(conditions)")
            }
          }
        }
      }
    }
  }

  @Test func `an invisible record is not found`() throws {
    let hidden = RecordSnapshot(isVisible: false, status: "pending")
    let owner = try Fixture.rights(.owner)
    #expect(
      refusal { try Self.rules().requireEdit(RecordPatch([:]), of: hidden, by: owner) }?.code == .notFound
    )
    #expect(refusal { try Self.rules().requireDelete(hidden, by: owner) }?.code == .notFound)
  }

  @Test func `records are read by those who hold the permission over them`() throws {
    let own = PermissionSet([Fixture.permission("maintenance.entry.read.own")])
    let ana = ActorRights(actor: .member(Fixture.ana), company: .active, permissions: own)
    #expect(ana.canRead("maintenance.entry", ownedBy: [Fixture.ana]))
    #expect(!ana.canRead("maintenance.entry", ownedBy: [Fixture.ben]))
    #expect(!ana.canRead("maintenance.machine", ownedBy: [Fixture.ana]))
    #expect(try Fixture.rights(.owner).canRead("maintenance.entry", ownedBy: []))
    #expect(ActorRights.system("timer").canRead("maintenance.entry", ownedBy: []))
  }
}
