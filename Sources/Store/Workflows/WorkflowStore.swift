package import Domain
package import FoundationEssentials
package import Postgres

/// Definitions, and what companies have chosen of them, as the tables have them.
package enum WorkflowStore {
  /// What a company has chosen, all as of one moment.
  package struct Choices: Sendable {
    /// The number under which it is remembered.
    package let revision: Int64
    /// By record type: the version followed, and the one the company is moving to.
    package let versions: [String: Choice]
    /// What it asks beyond versions of workflows, by record type.
    package let overlays: [String: [WorkflowOverlay]]
  }

  /// The version of a workflow that a company follows.
  package struct Choice: Sendable, Hashable {
    package let version: Int
    /// The version it is moving to; nil when it is not.
    package let next: Int?

    package init(version: Int, next: Int? = nil) {
      self.version = version
      self.next = next
    }
  }

  /// Queues the question what a company has chosen; ``choices(_:)`` reads the answer.
  package static func choicesQuery(company: UUID) -> SQL {
    """
    select c.workflow_revision,
      coalesce(
        (select jsonb_object_agg(w.record_type, jsonb_build_array(w.version, w.next_version))
         from core.workflow_choice w where w.company_id = c.id), '{}'),
      coalesce(
        (select jsonb_agg(o.body order by o.record_type, o.version)
         from core.workflow_overlay o where o.company_id = c.id), '[]')
    from core.company c
    where c.id = \(company)
    """
  }

  /// What a company has chosen.
  ///
  /// - Throws: `not_found` without such a company.
  package static func choices(company: UUID, _ tx: Transaction) throws -> Choices {
    let row = try tx.first(choicesQuery(company: company), Int64.self, JSON.self, JSON.self)
    guard let (revision, versions, overlays) = row else {
      throw DomainError(.notFound, "there is no such company")
    }
    let chosen = (try versions.value().object ?? [:]).members.compactMap { type, value -> (String, Choice)? in
      guard let pair = value.array, pair.count == 2, let version = pair[0].number?.integer else { return nil }
      return (type, Choice(version: Int(version), next: pair[1].number?.integer.map { Int($0) }))
    }
    let tightened = try overlays.decoded(as: [WorkflowOverlay].self)
    return Choices(
      revision: revision,
      versions: Dictionary(chosen) { first, _ in first },
      overlays: Dictionary(grouping: tightened, by: \.workflow)
    )
  }

  /// The versions of a workflow there are, oldest first; the first one is what a company without a choice follows.
  package static func versions(of type: String, _ tx: Transaction) throws -> [Int] {
    try tx.rows(
      "select w.version from core.workflow_definition w where w.record_type = \(type) order by w.version",
      Int.self
    )
  }

  /// One version of a workflow; nil when it was never installed.
  package static func definition(of type: String, version: Int, _ tx: Transaction) throws
    -> WorkflowDefinition?
  {
    try tx.first(
      """
      select w.body from core.workflow_definition w
      where w.record_type = \(type) and w.version = \(Int32(version))
      """,
      JSON.self
    )?.decoded(as: WorkflowDefinition.self)
  }

  /// The manifest of an installed app; nil when it is not there.
  package static func manifest(of app: String, _ tx: Transaction) throws -> AppManifest? {
    let manifest = try tx.first("select a.manifest from core.app a where a.name = \(app)", JSON?.self)
    return try manifest?.map { try $0.decoded(as: AppManifest.self) }
  }

  /// The versions of a workflow that companies may follow, oldest first: those the guard of records knows.
  package static func inForce(_ type: String, _ tx: Transaction) throws -> [WorkflowDefinition] {
    try tx.rows(
      """
      select w.body from core.workflow_definition w
      where w.record_type = \(type)
        and exists (select from core.workflow_state s where s.record_type = w.record_type and s.version = w.version)
      order by w.version
      """,
      JSON.self
    ).map { try $0.decoded(as: WorkflowDefinition.self) }
  }

  /// Lets a new company follow the newest of every workflow; those it says nothing of it follows as first installed.
  package static func followNewest(company: UUID, _ tx: Transaction) throws {
    let chosen = try tx.execute(
      """
      insert into core.workflow_choice (company_id, record_type, version)
      select \(company), w.record_type, w.version
      from core.workflow_definition w
      where w.is_current
        and exists (
          select from core.workflow_definition o where o.record_type = w.record_type and o.version < w.version
        )
      """
    )
    if chosen > 0 { try bump(company: company, tx) }
  }

  /// Writes which version a company follows, and lets every process read it anew.
  package static func choose(_ choice: Choice, of type: String, company: UUID, _ tx: Transaction) throws {
    try tx.execute(
      """
      insert into core.workflow_choice (company_id, record_type, version, next_version)
      values (\(company), \(type), \(Int32(choice.version)), \(nullable: choice.next.map(Int32.init)))
      on conflict (company_id, record_type) do update
      set version = excluded.version, next_version = excluded.next_version, updated_at = now()
      """
    )
    try bump(company: company, tx)
  }

  /// Writes an overlay, and lets every process read it anew.
  package static func set(_ overlay: WorkflowOverlay, company: UUID, _ tx: Transaction) throws {
    try tx.execute(
      """
      insert into core.workflow_overlay (company_id, record_type, version, body)
      values (\(company), \(overlay.workflow), \(Int32(overlay.version)), \(try JSON(encoding: overlay)))
      on conflict (company_id, record_type, version) do update set body = excluded.body, updated_at = now()
      """
    )
    try bump(company: company, tx)
  }

  /// Takes an overlay away; false when there was none.
  package static func removeOverlay(of type: String, version: Int, company: UUID, _ tx: Transaction) throws
    -> Bool
  {
    let removed = try tx.execute(
      """
      delete from core.workflow_overlay o
      where o.company_id = \(company) and o.record_type = \(type) and o.version = \(Int32(version))
      """
    )
    if removed > 0 { try bump(company: company, tx) }
    return removed > 0
  }

  /// The key of the advisory lock between those who choose a version and whoever drops superseded ones.
  private static let versionsKey: Int64 = 0x6665_7474_6c65_01

  /// Keeps versions from being dropped until the transaction ends.
  package static func holdVersions(_ tx: Transaction) throws {
    try tx.execute("select pg_advisory_xact_lock_shared(\(versionsKey))")
  }

  /// Whether the guard of records still knows a version.
  package static func isInForce(_ type: String, version: Int, _ tx: Transaction) throws -> Bool {
    try tx.value(
      """
      select exists (
        select from core.workflow_state s where s.record_type = \(type) and s.version = \(Int32(version)) and s.is_initial
      )
      """,
      as: Bool.self
    )
  }

  /// Lets the guard of records forget the versions of a workflow that no company follows or may come to follow.
  ///
  /// - Returns: the versions it has forgotten; none where the login may not become the owner.
  package static func dropSuperseded(_ type: String, _ tx: Transaction) throws -> [Int] {
    try tx.execute("select pg_advisory_xact_lock(\(versionsKey))")
    var needed: Set<Int> = []
    for company in try CompanyStore.all(tx) {
      try tx.execute("select set_config('fettle.company_id', \(company.id.uuidString.lowercased()), true)")
      let choices = try choices(company: company.id, tx)
      guard let choice = choices.versions[type] else {
        needed.formUnion(try versions(of: type, tx).prefix(1))
        continue
      }
      needed.formUnion([choice.version, choice.next ?? choice.version])
    }
    try Migrator.becomeOwner(tx)
    let dropped = try tx.rows(
      """
      with gone as (
        select d.version from core.workflow_definition d
        where d.record_type = \(type) and not d.is_current and d.version <> all (\(needed.map(Int32.init)))
      )
      delete from core.workflow_edge e using gone where e.record_type = \(type) and e.version = gone.version
      returning e.version
      """,
      Int.self
    )
    try tx.execute(
      """
      delete from core.workflow_state s
      where s.record_type = \(type) and s.version = any (\(Set(dropped).map(Int32.init)))
      """
    )
    if !dropped.isEmpty {
      // The guard of the table knows the ways by heart, so it is told that some are gone.
      try tx.execute(
        """
        select core.attach_guard(format('%I.%I', t.table_schema, t.table_name)::regclass, t.name)
        from core.record_type t
        where t.name = \(type)
        """
      )
    }
    return Set(dropped).sorted()
  }

  /// Behind the gate, so that whatever was decided before and is not written yet is decided again.
  private static func bump(company: UUID, _ tx: Transaction) throws {
    try tx.execute(FeedWriter.gate(company: company))
    try tx.execute(
      "update core.company c set workflow_revision = c.workflow_revision + 1 where c.id = \(company)"
    )
  }
}
