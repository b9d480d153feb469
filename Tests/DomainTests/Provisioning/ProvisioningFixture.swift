@testable import Domain

/// The data of the provisioning tests: types, files, and the current state.
enum ProvisioningFixture {
  static func types() throws -> ProvisionedTypes {
    let machines = try Fixture.decode(WorkflowDefinition.self, workflowJSON)
    return ProvisionedTypes(
      try Fixture.decode(AppTypes.self, typesJSON).types.map { type in
        // Names of rooms are not unique.
        .init(
          definition: type,
          workflow: type.workflow == nil ? nil : machines,
          isUnique: type.name != "places.room"
        )
      }
    )
  }

  /// The types of a manifest, decoded without the rest of it.
  private struct AppTypes: Decodable {
    let types: [RecordTypeDefinition]

    init(from decoder: any Decoder) throws {
      types = try StrictObject(decoder, keys: ["types"]).named("types")
    }
  }

  static func planner(prunes: Bool = false) throws -> ProvisioningPlanner {
    ProvisioningPlanner(
      types: try types(),
      catalogue: PermissionCatalogue(apps: [try Fixture.manifest()]),
      schedules: ["history.seal", "pm.plan"],
      prunes: prunes
    )
  }

  static func document(_ json: String) throws -> ProvisioningDocument {
    do {
      return try Fixture.decode(ProvisioningDocument.self, json, userInfo: types().userInfo)
    } catch {
      throw DomainError.reading(error, in: "file")
    }
  }

  static func company(_ json: String) throws -> CompanyState {
    let document = try document(#"{ "companies": { "acme": \#(json) } }"#)
    return document.companies.first ?? CompanyState(slug: "none")
  }

  /// A company as read from a database, with Eva as its owner.
  static func current(_ change: (inout CompanyState) -> Void = { _ in }) -> CompanyState {
    var state = CompanyState(slug: "acme")
    state.name = "Acme"
    state.kind = .business
    state.timeZone = "UTC"
    state.status = .active
    state.roles = []
    state.members = [MemberState(email: "eva@acme.example", name: "Eva", role: "owner", status: .active)]
    state.invites = []
    state.webhooks = []
    change(&state)
    return state
  }

  static func machine(_ code: String, _ name: String, _ status: String = "active") -> RecordState {
    RecordState(
      key: RecordKey([.string(code)]),
      fields: ["code": .string(code), "name": .string(name)],
      status: status,
      id: "id of \(code)"
    )
  }

  static func category(_ name: String, machine: String? = nil) -> RecordState {
    let machine: JSONValue = machine.map { .string($0) } ?? .null
    return RecordState(
      key: RecordKey([machine, .string(name)]),
      fields: ["machine_id": machine, "name": .string(name)],
      status: nil,
      id: "id of \(name)"
    )
  }

  private static let typesJSON = #"""
    {
      "types": {
        "maintenance.machine": {
          "label": "Machine", "plural": "Machines", "table": "maintenance.machine", "title_field": "code",
          "key": ["code"], "section": "machines", "scope": "company", "workflow": "maintenance.machine", "sync": "field_merge",
          "grants": { "owner": ["all"] }, "editable": ["code", "name", "photo_id"],
          "references": { "photo_id": { "to": "core.attachment", "on_delete": "restrict" } }
        },
        "maintenance.category": {
          "label": "Category", "plural": "Categories", "table": "maintenance.category", "title_field": "name",
          "key": ["machine_id", "name"], "section": "categories", "scope": "company", "sync": "last_writer",
          "grants": { "owner": ["all"] }, "editable": ["name"], "fixed": ["machine_id"],
          "references": { "machine_id": { "to": "maintenance.machine", "on_delete": "cascade" } }
        },
        "maintenance.meter": {
          "label": "Meter", "plural": "Meters", "table": "maintenance.meter", "title_field": "name",
          "key": ["machine_id", "name"], "scope": "company", "sync": "last_writer",
          "grants": { "owner": ["all"] }, "editable": ["name", "unit"], "fixed": ["machine_id"],
          "references": { "machine_id": { "to": "maintenance.machine", "on_delete": "restrict" } }
        },
        "places.room": {
          "label": "Room", "plural": "Rooms", "table": "places.room", "title_field": "name",
          "key": ["name"], "scope": "company", "sync": "last_writer", "grants": { "owner": ["all"] },
          "editable": ["name", "within_id", "area", "keeper"],
          "references": {
            "within_id": { "to": "places.room", "on_delete": "restrict" },
            "keeper": { "to": "core.membership", "on_delete": "keep" }
          }
        },
        "macros.preset": {
          "label": "Preset", "plural": "Presets", "table": "macros.preset", "title_field": "name",
          "key": ["name"], "scope": "owner", "sync": "last_writer", "grants": { "owner": ["all"] },
          "editable": ["name"]
        }
      }
    }
    """#

  private static let workflowJSON = #"""
    {
      "workflow": "maintenance.machine", "version": 1, "state_field": "status", "initial": "active",
      "states": {
        "active": { "label": "Active", "category": "active", "color": "green" },
        "out_of_service": { "label": "Out", "category": "open", "color": "red" },
        "retired": { "label": "Retired", "category": "done", "color": "grey", "final": true }
      },
      "transitions": {
        "take_out": {
          "from": ["active"], "to": "out_of_service", "permission": "maintenance.machine.take_out",
          "require": { "comment": { "min": 3 } }
        },
        "return": {
          "from": ["out_of_service"], "to": "active", "permission": "maintenance.machine.return"
        },
        "retire": { "from": ["out_of_service"], "to": "retired", "permission": "maintenance.machine.retire" },
        "scrap": {
          "from": ["active"], "to": "retired", "permission": "maintenance.machine.retire",
          "require": { "fields": ["name"] }
        }
      }
    }
    """#
}

extension CompanyPlan {
  /// The steps in short form.
  var words: [String] { steps.map { "\($0.change.rawValue) \($0.subject) \($0.name)" } }
}
