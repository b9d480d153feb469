import FoundationEssentials

@testable import Domain

/// People, permissions and the maintenance app's definitions for the tests.
enum Fixture {
  static let ana = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  static let ben = UUID(uuid: (2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  static let company = UUID(uuid: (9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  static let now = Instant(seconds: 1_774_700_000)

  static func permission(_ name: String) -> Permission { Permission(trusted: name) }

  static func permissions(_ names: String...) -> PermissionSet { PermissionSet(names.map(permission)) }

  static func decode<Value: Decodable>(
    _ type: Value.Type,
    _ json: String,
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> Value {
    try JSONValueDecoder.decode(type, from: JSONValue(parsing: json), userInfo: userInfo)
  }

  static func manifest() throws -> AppManifest { try decode(AppManifest.self, manifestJSON) }

  static func entryWorkflow() throws -> WorkflowDefinition { try decode(WorkflowDefinition.self, entryJSON) }

  static func rights(
    _ role: BuiltInRole,
    as person: UUID = ana,
    company: CompanyStatus = .active
  ) throws -> ActorRights {
    ActorRights(actor: .member(person), company: company, permissions: role.permissions(in: [try manifest()]))
  }

  /// The workflow of the maintenance app's entries, as in its manifest.
  static let entryJSON = #"""
    {
      "workflow": "maintenance.entry", "version": 1, "state_field": "status", "initial": "pending",
      "states": {
        "pending": {
          "label": "Pending", "category": "open", "color": "yellow",
          "after": [{ "delay": "P7D", "fire": "remind", "repeat": "P7D", "max": 4 }]
        },
        "in_progress": {
          "label": "In progress", "category": "active", "color": "blue",
          "after": [{ "delay": "PT72H", "fire": "escalate" }]
        },
        "completed": { "label": "Completed", "category": "done", "color": "green" }
      },
      "transitions": {
        "start": {
          "from": ["pending"], "to": "in_progress", "permission": "maintenance.entry.start",
          "set": { "started_at": "$now", "started_by": "$actor" },
          "effects": [{ "notify": { "to": "creator", "template": "entry_started" } }]
        },
        "pause": {
          "from": ["in_progress"], "to": "pending", "permission": "maintenance.entry.start",
          "set": { "started_at": null, "started_by": null }
        },
        "complete": {
          "from": ["in_progress"], "to": "completed", "permission": "maintenance.entry.complete",
          "set": { "completed_at": "$now", "completed_by": "$actor" },
          "effects": [
            { "notify": { "to": "creator", "template": "entry_completed" } },
            { "webhook": { "event": "maintenance.entry.completed" } }
          ]
        },
        "reopen": {
          "from": ["completed"], "to": "in_progress", "permission": "maintenance.entry.reopen",
          "require": { "comment": { "min": 3 } },
          "set": { "completed_at": null, "completed_by": null }
        },
        "remind": {
          "from": ["pending"], "to": "pending", "by": "system",
          "effects": [{ "notify": { "to": "role:admin", "template": "entry_overdue" } }]
        },
        "escalate": {
          "from": ["in_progress"], "to": "in_progress", "by": "system",
          "effects": [{ "notify": { "to": "role:admin", "template": "entry_stuck" } }]
        }
      },
      "tests": [
        {
          "name": "happy path", "given": { "estimated_hours": 2 },
          "steps": [
            { "as": "user", "do": "start", "expect": "in_progress" },
            { "as": "user", "do": "complete", "expect": "completed" },
            { "as": "user", "do": "reopen", "refuse": "forbidden" },
            { "as": "admin", "do": "reopen", "refuse": "missing_fields" },
            { "as": "admin", "do": "reopen", "comment": "leaks again", "expect": "in_progress" },
            { "as": "system", "do": "escalate", "expect": "in_progress" }
          ]
        }
      ]
    }
    """#

  /// The maintenance app's manifest, reduced to entries and their hours.
  static let manifestJSON = #"""
    {
      "app": "maintenance", "version": 1, "title": "Maintenance",
      "types": {
        "maintenance.entry": {
          "label": "Maintenance entry", "plural": "Maintenance entries",
          "table": "maintenance.entry", "view": "maintenance.v_entry", "title_field": "description",
          "key": ["external_ref"], "workflow": "maintenance.entry", "sync": "field_merge",
          "grants": {
            "owner": ["all"], "admin": ["all"],
            "user": ["read", "create", "update.own", "start", "complete"],
            "viewer": ["read"], "guest": ["read"],
            "service": ["read", "create", "update", "start", "complete"]
          },
          "editable": ["description", "actual_cost", "completion_note"],
          "fixed": ["machine_id"], "engine": ["created_by_name"], "impersonal": ["completion_note"],
          "edit": [
            { "permission": "maintenance.entry.update" },
            { "permission": "maintenance.entry.update.own", "when": "$.status == \"pending\"" },
            {
              "permission": "maintenance.entry.complete", "when": "$.status == \"in_progress\"",
              "fields": ["completion_note", "actual_cost"]
            }
          ],
          "references": { "assigned_to": { "to": "core.membership", "on_delete": "keep" } },
          "search": ["description"], "sort": ["description"],
          "attachments": { "photo": { "max_bytes": 2097152, "media": ["image/jpeg"] } }
        },
        "maintenance.time_entry": {
          "label": "Time entry", "plural": "Time entries",
          "table": "maintenance.time_entry", "title_field": "user_name", "owner_fields": ["user_id"],
          "grants": { "owner": ["all"], "admin": ["all"], "user": ["read", "create", "update.own", "delete.own"] },
          "editable": ["user_id", "user_name"], "fixed": ["entry_id"], "personal": {"user_name": "user_id"},
          "edit": [
            { "permission": "maintenance.time_entry.update" },
            { "who": "own", "when": "$.entry_status_category != \"done\"" }
          ]
        }
      },
      "workflows": [\#(entryJSON)],
      "templates": {
        "entry_started": { "title": "Work has started on {machine_code}", "body": "{description}" },
        "entry_completed": { "title": "Work on {machine_code} is completed", "body": "{description}" },
        "entry_overdue": { "title": "{machine_code} is still waiting", "body": "{description}" },
        "entry_stuck": { "title": "Work on {machine_code} has been open for long" }
      },
      "reports": [{ "name": "backlog", "title": "Backlog", "view": "report.v1_backlog" }]
    }
    """#
}
