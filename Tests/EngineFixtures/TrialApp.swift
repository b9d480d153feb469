package import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
package import Store
package import TestDatabase

/// An app for these tests: orders with approval by another member, the resulting tasks, and private diaries.
package enum TrialApp {
  /// The workflow of orders; a text, so that a test can plant a change.
  package static let orderWorkflow = """
    workflow: trial.order
    version: 1
    initial: draft
    states:
      draft: { label: Draft, category: open, color: grey }
      parked: { label: Parked, category: open, color: yellow }
      review: { label: In review, category: active, color: blue, after: [{ delay: P2D, fire: nudge, repeat: P1D, max: 3 }] }
      approved: { label: Approved, category: active, color: green }
      closed: { label: Closed, category: done, color: grey, final: true }
    transitions:
      submit:
        from: [draft]
        to: review
        permission: trial.order.submit
        require: { fields: [title] }
        effects: [{ notify: { to: creator, template: order_submitted } }]
      approve:
        from: [review]
        to: approved
        permission: trial.order.decide
        distinct_from: [created_by]
        guards: [{ path: '$.amount <= 1000', message: too_much }]
        set: { decided_at: $now, decided_by: $actor }
        effects:
          - create: { type: trial.task, set: { order_id: $.id, title: $.title, source: approval } }
      reject: { from: [review], to: draft, permission: trial.order.decide, require: { comment: { min: 3 } } }
      park: { from: [draft, review], to: parked, permission: trial.order.submit }
      unpark: { from: [parked], to: draft, permission: trial.order.submit }
      close: { from: [approved], to: closed, permission: trial.order.submit }
      rush: { from: [draft], to: review, by: system, guards: [{ path: '$.amount < 500', message: too_much }] }
      nudge: { from: [review], to: review, by: system, effects: [{ notify: { to: 'role:admin', template: order_waits } }] }
    """

  /// The workflow of diaries, which are private.
  package static let diaryWorkflow = """
    workflow: trial.diary
    version: 1
    initial: open
    states:
      open: { label: Open, category: open }
      shelved: { label: Shelved, category: open }
      done: { label: Done, category: done, final: true }
    transitions:
      shelve: { from: [open], to: shelved, permission: trial.diary.finish }
      unshelve: { from: [shelved], to: open, permission: trial.diary.finish }
      finish: { from: [open, shelved], to: done, permission: trial.diary.finish }
    """

  private static let head = """
    title: Trial
    types:
      trial.order:
        label: Order
        plural: Orders
        table: trial.order
        view: trial.v_order
        title_field: title
        key: [title]
        workflow: trial.order
        sync: field_merge
        grants:
          owner: [all]
          admin: [all]
          user: [read, create, update, submit]
          viewer: [read]
          service: [read.own, create, submit.own]
        editable: [title, amount, kind, note]
        impersonal: [note]
        hooks:
          - { on: create, when: '$.kind == "rush"', fire: rush }
          - { on: create, when: '$.kind == "rush" && $.amount > 10', job: trial.scan }
          - { on: change, of: [amount], job: trial.rate }
          - { on: change, of: [decided_at], when: '$.amount > 100 && $.decided_at != null', job: trial.audit }
          - { on: delete, when: '$.status == "draft"', job: trial.scan }
        search: [title]
        sort: [title, amount, created_at]
      trial.task:
        label: Task
        plural: Tasks
        table: trial.task
        title_field: title
        sync: last_writer
        grants: { owner: [all], user: [read] }
        editable: [title, source]
        fixed: [order_id]
        references: { order_id: { to: trial.order, on_delete: cascade } }
        hooks: [{ on: create, job: trial.scan }]
      trial.diary:
        label: Diary
        plural: Diaries
        table: trial.diary
        title_field: title
        scope: owner
        workflow: trial.diary
        sync: last_writer
        grants: { owner: [all], admin: [all], user: [all] }
        editable: [title]
    jobs: [trial.scan, trial.rate, trial.audit]
    templates:
      order_submitted: { title: '{title} waits for approval' }
      order_waits: { title: '{title} still waits' }
    messages:
      too_much: The amount is too high.
      not_cheap: The amount is too high for this company.
    workflows:
    """

  private static let tables = """
    create schema trial;
    create table trial.order (
      like core.record_base including defaults including comments,
      title text,
      amount numeric(12,2) not null default 0,
      kind text,
      note text,
      decided_at timestamptz,
      decided_by uuid,
      status text not null,
      status_category text not null,
      primary key (company_id, id)
    );
    create table trial.task (
      like core.record_base including defaults including comments,
      order_id uuid not null,
      title text not null,
      source text,
      primary key (company_id, id),
      foreign key (company_id, order_id) references trial.order (company_id, id)
    );
    create index on trial.task (company_id, order_id);
    create table trial.diary (
      like core.record_base including defaults including comments,
      title text not null,
      status text not null,
      status_category text not null,
      primary key (company_id, id)
    );
    comment on table trial.order is 'Something to buy, which somebody else approves.';
    comment on table trial.task is 'Work that an approved order causes.';
    comment on table trial.diary is 'Notes that only their writer reads.';
    """

  private static let view = """
    -- Orders with their tasks counted.
    create view trial.v_order with (security_invoker = true) as
    select o.company_id, o.id, o.version, o.created_by, o.created_at, o.updated_by, o.updated_at, o.title, o.amount,
      o.kind, o.note, o.decided_at, o.decided_by, o.status, o.status_category,
      (select count(*) from trial.task t where t.company_id = o.company_id and t.order_id = o.id) as tasks
    from trial.order o
    where o.deleted_at is null;
    """

  /// Installs the app with the workflows of a version.
  ///
  /// - Parameter hook: another hook of orders.
  @discardableResult
  package static func install(
    _ version: Int = 1,
    order: String = orderWorkflow,
    diary: String = diaryWorkflow,
    hook: String? = nil,
    on database: TestDatabase
  ) async throws -> AppInstaller.Outcome {
    let last = "- { on: delete, when: '$.status == \"draft\"', job: trial.scan }"
    let types = hook.map { head.replacing(last, with: "\(last)\n      - \($0)") } ?? head
    let text =
      "app: trial\nversion: \(version)\n\(types)\n"
      + [order, diary].map { workflow in
        let lines = workflow.split(separator: "\n", omittingEmptySubsequences: false)
        return "  - " + lines.joined(separator: "\n    ")
      }.joined(separator: "\n")
    let admin = database.connect(poolSize: 1)
    do {
      let files = [
        AppFile("trial.app.yaml", Array(text.utf8)), AppFile("tables/01_tables.sql", Array(tables.utf8)),
        AppFile("views/v_order.sql", Array(view.utf8)),
      ]
      let outcome = try await AppInstaller(admin).install(AppPackage(files: files, document: "trial"))
      await admin.close()
      return outcome
    } catch {
      await admin.close()
      throw error
    }
  }

  /// An engine with the first version, shared by the suites that do not upgrade it.
  package static func sharedHall() async throws -> EngineFixture { try await Making.shared.value() }

  private actor Making {
    static let shared = Making()
    private var making: Task<EngineFixture, any Error>?

    func value() async throws -> EngineFixture {
      if let making { return try await making.value }
      // An unstructured task: all suites wait for it, and none may cancel it for the others.
      let task = Task { try await TrialApp.engine() }
      making = task
      return try await task.value
    }
  }

  /// Opens an engine of its own with the first version.
  package static func engine() async throws -> EngineFixture {
    let database = try await TestDatabase.make()
    try await install(on: database)
    return try await EngineFixture.open(database)
  }
}

extension Workshop {
  /// Creates a company that uses the trial app.
  package static func trial(_ engine: EngineFixture? = nil) async throws -> Workshop {
    let engine = if let engine { engine } else { try await TrialApp.sharedHall() }
    return try await open(roles: ["admin", "admin2", "user", "viewer", "service"], in: engine)
  }

  /// Creates an order.
  package func order(_ name: String = "user", _ fields: JSONObject = [:]) async throws -> RecordAnswer {
    var all: JSONObject = ["title": "Bolts", "amount": 20]
    for (column, value) in fields.members { all[column] = value }
    return try await records.create(acting(name), type: "trial.order", fields: all)
  }

  /// Applies a transition to an order.
  @discardableResult
  package func move(
    _ transition: String,
    _ order: UUID,
    as name: String = "user",
    comment: String? = nil
  ) async throws -> RecordAnswer {
    try await records.transition(
      acting(name),
      type: "trial.order",
      id: order,
      request: TransitionRequest(transition, comment: comment)
    )
  }

  /// The kinds of the jobs that a record has caused, sorted.
  package func jobs(of record: UUID) async throws -> [String] {
    try await engine.superuser.rows(
      """
      select j.kind from core.job j
      join core.job_payload p on p.company_id = j.company_id and p.job_id = j.id
      where p.company_id = \(company.id) and p.cause_id = \(record)
      order by 1
      """,
      String.self
    )
  }
}

extension Workshop {
  /// Inserts orders in a status, without a history of their own.
  package func fill(_ count: Int, status: String, category: String = "open", by name: String = "user")
    async throws
  {
    let user = members[name]?.userID
    try await engine.superuser.transaction { tx in
      try tx.execute("set local fettle.write = 'import'")
      try tx.execute(
        """
        insert into trial.order (company_id, id, created_by, title, amount, status, status_category)
        select \(company.id), gen_random_uuid(), \(nullable: user), 'Order ' || n, n, \(status), \(category)
        from generate_series(1, \(count)) n
        """
      )
    }
  }
}
