/// The definition of a record type: its table, view, columns and permissions.
///
/// The installer checks that the tables and columns exist.
package struct RecordTypeDefinition: Sendable, Hashable {
  /// The name of the type, such as `maintenance.entry`.
  package let name: String
  /// The name of one record.
  package let label: String
  /// The name of several records.
  package let plural: String
  /// The table that is written, as `schema.name`.
  package let table: String
  /// The view that is read, as `schema.name`; the table if the manifest names none.
  package let view: String
  /// The column that represents a record in lists and messages.
  package let titleField: String
  /// The numbering of the records; nil if they have no numbers.
  package let number: NumberRule?
  /// The columns of the natural key, by which people name a record; empty if the type has none.
  package let key: [String]
  /// The members who can see a record.
  package let scope: Scope
  /// The columns besides `created_by` that name owners of a record, for permissions with `.own`.
  package let ownerFields: [String]
  /// The name of the workflow on the column `status`; nil if the type has none.
  package let workflow: String?
  /// The rule for edits that devices make concurrently.
  package let sync: SyncPolicy
  /// The grants of the built-in roles.
  package let grants: [RoleGrants]
  /// The columns that can be written at creation and later.
  package let editable: [String]
  /// The columns that can be written only at creation.
  package let fixed: [String]
  /// The columns that the engine or PostgreSQL computes, including those of the number.
  package let engine: [String]
  /// The edit rules. If there are none, those of the workflow apply; without these, `update` suffices.
  package let edit: [EditRule]
  /// The columns that refer to other records.
  package let references: [RecordReference]
  /// The columns that a search reads.
  package let search: [String]
  /// The columns of the view by which a list can be sorted.
  package let sort: [String]
  /// The columns of the view whose values depend on the time. Devices do not get them: they would become wrong there.
  package let clock: [String]
  /// The kinds of attachment that records may have.
  package let attachments: [AttachmentRule]
  /// The jobs and transitions caused by creating, changing or deleting a record.
  package let hooks: [RecordHook]
  /// The entitlement that is required to write records; nil for none.
  package let entitlement: String?
  /// The name of the type's section in a provisioning file, such as `machines`; nil to use `records`.
  package let section: String?
  /// The maximum sizes that differ from the default, by column: characters of a text, bytes of a document,
  /// elements of a list.
  package let limits: [String: Int]
  /// The columns of numbers that are rounded to their decimals, such as measured positions. Elsewhere, a number with
  /// more decimals than its column keeps is refused.
  package let rounds: Set<String>
  /// The columns that tell something of a person.
  package let personal: PersonalColumns
  /// The noun of the type on the command line; nil if only `fettle record` reaches its records.
  package let command: CommandNoun?

  /// The members who can see a record, if they may read the type.
  package enum Scope: String, Sendable, Codable {
    /// All members of the company.
    case company
    /// Only the creator of the record, not even admins.
    case owner
  }

  /// The columns of every record table. Only the engine writes them.
  package static let baseColumns = RecordBase.columns

  /// The verbs of every type; its workflow adds those of the transitions.
  package static let verbs = ["read", "create", "update", "delete", "export"]

  /// The app of the type, such as `maintenance`.
  package var app: String { String(name.prefix { $0 != "." }) }

  /// The columns by which people name a record, the preferred one first; empty if they use its id.
  package var nameColumns: [String] { (number == nil ? [] : ["number"]) + key.suffix(1) }

  /// The columns that can be written at creation: fixed and editable ones.
  package var creatable: [String] { fixed + editable }

  /// Returns all permissions on the type: its verbs and those of its transitions, each with its `.own` form.
  /// `create` has no `.own` form.
  package func permissions(with workflow: WorkflowDefinition?) -> [Permission] {
    let verbs = Self.verbs.map { Permission(trusted: "\(name).\($0)") }
    let transitions = (workflow?.permissions ?? []).filter { $0.subject == name }.map(\.wider)
    var seen: Set<Permission> = []
    return (verbs + transitions).filter { seen.insert($0).inserted }.flatMap { permission in
      permission.verb == "create" ? [permission] : [permission, permission.own]
    }
  }
}

/// The grants of one built-in role on a type or a table.
package struct RoleGrants: Sendable, Hashable {
  /// The role.
  package let role: BuiltInRole
  /// The granted verbs.
  package let rules: [GrantRule]
}
