/// An app's manifest: its record types, workflows, tables, labels and messages.
///
/// It is decoded from `<app>.app.yaml`. An unknown key is an error that names its position. These mappings
/// keep the order of the file: `types`, `tables`, `states`, `transitions`, `references`, `attachments`,
/// `templates`. A complete example:
///
/// ```yaml
/// app: maintenance                  # prefix of every type and permission
/// version: 1                        # raised with every installed change
/// title: Maintenance
/// description: Machines, and the work on them.
/// schema: maintenance               # of its tables; the app's name unless given
/// min_client: 1                     # oldest schema version of a device that may still sync
///
/// types:
///   maintenance.entry:
///     label: Maintenance entry
///     plural: Maintenance entries
///     table: maintenance.entry      # written
///     view: maintenance.v_entry     # read; the table unless given
///     title_field: description      # represents the record in lists and messages
///     number: { format: 'WO-{n}', start: 1001 }   # set by the engine; columns number and number_seq
///     key: [external_ref]           # names a record instead of its id
///     scope: company                # company | owner (owner: private to its creator)
///     owner_fields: [assigned_to]   # beside created_by, for `.own`
///     workflow: maintenance.entry   # one of `workflows`
///     sync: field_merge             # append_only | server_only | last_writer | field_merge | reject
///     grants:                       # of the built-in roles; `all` is every verb, transitions included
///       owner: [all]
///       admin: [all]
///       user: [read, create, update.own, complete]
///       viewer: [read]
///     editable: [description, priority, due_on, completion_note]  # at creation and later
///     fixed: [machine_id]           # at creation only
///     engine: [created_by_name]     # computed by the engine or PostgreSQL; base columns, status and whatever
///                                   # a transition sets need no mention
///     edit:                         # tried in order, one that holds suffices; none: update suffices
///       - { permission: maintenance.entry.update }
///       - { permission: maintenance.entry.update.own, when: '$.status == "pending"' }
///       - { permission: maintenance.entry.complete, when: '$.status == "in_progress"', fields: [completion_note] }
///     references:
///       machine_id: { to: maintenance.machine, on_delete: restrict }   # restrict | cascade | keep
///       assigned_to: { to: core.membership, on_delete: keep }
///     search: [description]
///     sort: [due_on, priority, created_at]
///     command: { name: entry, sort: -reported_on, arguments: [description] }  # or `command: entry`; see CommandNoun
///     attachments:
///       photo: { max_bytes: 2097152, media: [image/jpeg, image/png] }
///
/// tables:                           # of the app that hold no records; see TableDefinition
///   maintenance.pulse: { label: Pulse, plural: Pulses, verbs: [read, create], grants: { owner: [all] } }
///
/// workflows:                        # inline, or `- file: entry.workflow.yaml`
///   - workflow: maintenance.entry
///     version: 1
///     state_field: status
///     initial: pending
///     states:
///       pending: { label: Pending, category: open, color: yellow, after: [{ delay: P7D, fire: remind }] }
///       completed: { label: Completed, category: done, color: green, final: true }  # final: nothing leaves it
///     transitions:
///       complete:
///         from: [pending]
///         to: completed
///         permission: maintenance.entry.complete
///         require: { comment: { min: 3 }, fields: [completion_note] }
///         guards: [{ path: '$.hours_logged > 0', message: no_hours_logged }]
///         distinct_from: [created_by]
///         set: { completed_at: $now, completed_by: $actor }
///         effects:
///           - notify: { to: creator, template: entry_completed }      # creator | role:NAME | field:COLUMN
///           - webhook: { event: maintenance.entry.completed }
///           - job: { kind: pm.advance }
///           - create: { type: maintenance.time_entry, set: { entry_id: $.id } }
///       remind:
///         from: [pending]
///         to: pending
///         by: system
///         effects: [{ notify: { to: 'role:admin', template: entry_overdue } }]
///
/// templates:                        # of notices, `sv` in Swedish; {name} is a column of the record's view
///   entry_completed: { title: 'Work on {machine_code} is completed', body: '{description}' }
///   entry_overdue: { title: '{machine_code} is still waiting', body: '{description}' }
///
/// messages:                         # shown if a guard refuses
///   no_hours_logged: No hours are logged yet.
///
/// jobs: [pm.advance, pm.plan]       # the kinds that its effects, hooks and schedules may enqueue
///
/// schedules:                        # by the company's clock, unless zone: says UTC or another
///   - { job: pm.plan, cron: '0 5 * * *' }
///
/// reports:                          # order: the columns that sort it, - for the largest first
///   - { name: backlog, title: Backlog and ageing, view: report.v1_backlog, order: [company, -oldest_days] }
///
/// reference_tables: [maintenance.base_category_template]  # without company_id: all read, migrations write
///
/// reads: [core.person, inventory.item]  # what the views of an own app may show of others
///
/// words:                            # see ManifestWords
///   sv: { app: Underhåll, maintenance.entry: Arbetsorder, maintenance.entry=pending: Väntar }
/// ```
package struct AppManifest: Sendable, Hashable {
  /// The name of the app, which is the prefix of its types and permissions.
  package let app: String
  /// The version, at least 1; every installed change raises it.
  package let version: Int
  /// The display title.
  package let title: String
  /// The purpose of the app in one sentence.
  package let summary: String?
  /// The schema of the app's tables and views.
  package let schema: String
  /// The lowest schema version with which a device may still sync.
  package let minimumClient: Int
  /// The record types, in file order.
  package let types: [RecordTypeDefinition]
  /// The tables that hold no records.
  package let tables: [TableDefinition]
  /// The workflows, in file order.
  package internal(set) var workflows: [WorkflowSource]
  /// The templates of notices.
  package let templates: [NoticeTemplate]
  /// The messages for guards that refuse.
  package let messages: [GuardMessage]
  /// The kinds of job that effects, hooks and schedules of the app may enqueue.
  package let jobs: [String]
  /// The jobs that are scheduled in every company.
  package let schedules: [ScheduleDefinition]
  /// The reports.
  package let reports: [ReportDefinition]
  /// The tables that belong to no company. All companies can read them; only the app's SQL writes them.
  package let referenceTables: [String]
  /// What the app's views and functions may read of others: record types of other apps, and `core.person`, the names of
  /// members. They read with the rights of the caller.
  package let reads: [String]
  /// What people read in the languages of the console.
  package let words: ManifestWords

  /// The name in `reads` for the names of members.
  package static let people = "core.person"

  /// Returns the record type with a name; nil if there is none.
  package func type(_ name: String) -> RecordTypeDefinition? { types.first { $0.name == name } }

  /// Returns the workflow with a name; nil if there is none, or if it is in a file that has not been read.
  package func workflow(_ name: String) -> WorkflowDefinition? {
    workflows.lazy.compactMap(\.definition).first { $0.name == name }
  }

  /// The names of the workflow files. Read them and pass their contents to ``including(_:)``.
  package var workflowFiles: [String] { workflows.compactMap(\.file) }

  /// Returns the same manifest with definitions in place of their files.
  ///
  /// - Parameter definitions: the definitions by file name; the other files stay.
  package func including(_ definitions: [String: WorkflowDefinition]) -> AppManifest {
    AppManifest(
      app: app,
      version: version,
      title: title,
      summary: summary,
      schema: schema,
      minimumClient: minimumClient,
      types: types,
      tables: tables,
      workflows: workflows.map { source in
        source.file.flatMap { definitions[$0] }.map(WorkflowSource.inline) ?? source
      },
      templates: templates,
      messages: messages,
      jobs: jobs,
      schedules: schedules,
      reports: reports,
      referenceTables: referenceTables,
      reads: reads,
      words: words
    )
  }
}
