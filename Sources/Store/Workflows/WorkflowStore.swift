package import Domain
package import FoundationEssentials
package import Postgres

/// Workflow definitions, and the versions that companies follow.
package enum WorkflowStore {
  /// A company's choices of workflows, from one snapshot.
  package struct Choices: Sendable {
    /// The company's workflow revision, which increases with each change of the choices.
    package let revision: Int64
    /// The version that the company follows and the version that it is moving to, by record type.
    package let versions: [String: Choice]
    /// The company's overlays, by record type.
    package let overlays: [String: [WorkflowOverlay]]
  }

  /// The version of a workflow that a company follows.
  package struct Choice: Sendable, Hashable {
    package let version: Int
    /// The version that the company is moving to; nil if no activation is under way.
    package let next: Int?

    package init(version: Int, next: Int? = nil) {
      self.version = version
      self.next = next
    }
  }

  /// Returns the query for a company's choices, which ``choices(company:_:)`` runs.
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

  /// Returns a company's choices.
  ///
  /// - Throws: `not_found` if there is no such company.
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

  /// Returns one version of a workflow; nil if it was never installed.
  package static func definition(of type: String, version: Int, _ tx: Transaction) throws
    -> WorkflowDefinition?
  {
    try tx.first(
      """
      select w.body from core.workflow_definition w
      where w.record_type = \(type) and w.version = \(Int32(clamping: version))
      """,
      JSON.self
    )?.decoded(as: WorkflowDefinition.self)
  }

  /// Returns the manifest of an installed app; nil if the app is not installed.
  package static func manifest(of app: String, _ tx: Transaction) throws -> AppManifest? {
    let manifest = try tx.first("select a.manifest from core.app a where a.name = \(app)", JSON?.self)
    return try manifest?.map { try $0.decoded(as: AppManifest.self) }
  }

  /// Returns the versions of a workflow that companies may follow, oldest first: the versions in the guard's
  /// reference tables.
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

  /// Makes a new company follow the newest version of every workflow that has several versions.
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

  /// Stores the version that a company follows, and invalidates the caches of all processes.
  package static func choose(_ choice: Choice, of type: String, company: UUID, _ tx: Transaction) throws {
    try tx.execute(
      """
      insert into core.workflow_choice (company_id, record_type, version, next_version)
      values (\(company), \(type), \(Int32(clamping: choice.version)), \(nullable: choice.next.map(Int32.init(clamping:))))
      on conflict (company_id, record_type) do update
      set version = excluded.version, next_version = excluded.next_version, updated_at = now()
      """
    )
    try bump(company: company, tx)
  }

  /// Stores an overlay, and invalidates the caches of all processes.
  package static func set(_ overlay: WorkflowOverlay, company: UUID, _ tx: Transaction) throws {
    try tx.execute(
      """
      insert into core.workflow_overlay (company_id, record_type, version, body)
      values (\(company), \(overlay.workflow), \(Int32(clamping: overlay.version)), \(try JSON(encoding: overlay)))
      on conflict (company_id, record_type, version) do update set body = excluded.body, updated_at = now()
      """
    )
    try bump(company: company, tx)
  }

  /// Removes an overlay.
  ///
  /// - Returns: false if there was none.
  package static func removeOverlay(of type: String, version: Int, company: UUID, _ tx: Transaction) throws
    -> Bool
  {
    let removed = try tx.execute(
      """
      delete from core.workflow_overlay o
      where o.company_id = \(company) and o.record_type = \(type) and o.version = \(Int32(clamping: version))
      """
    )
    if removed > 0 { try bump(company: company, tx) }
    return removed > 0
  }

  /// The key of the advisory lock between activations and the removal of superseded versions.
  private static let versionsKey: Int64 = 0x6665_7474_6c65_01

  /// Protects versions from removal until the transaction ends.
  package static func holdVersions(_ tx: Transaction) throws {
    try tx.execute("select pg_advisory_xact_lock_shared(\(versionsKey))")
  }

  /// True if the guard's reference tables contain a version.
  package static func isInForce(_ type: String, version: Int, _ tx: Transaction) throws -> Bool {
    try tx.value(
      """
      select exists (
        select from core.workflow_state s where s.record_type = \(type) and s.version = \(Int32(clamping: version)) and s.is_initial
      )
      """,
      as: Bool.self
    )
  }

  /// Removes from the guard's reference tables the versions of a workflow that no company follows or is
  /// moving to. The current version stays.
  ///
  /// - Returns: the removed versions, in ascending order.
  /// - Throws: `PostgresError` if the login is not the operator's.
  package static func dropSuperseded(_ type: String, _ tx: Transaction) throws -> [Int] {
    try tx.execute("select pg_advisory_xact_lock(\(versionsKey))")
    var needed: Set<Int> = []
    for company in try CompanyStore.all(tx) {
      try tx.execute("select set_config('fettle.company_id', \(company.id.uuidString.lowercased()), true)")
      let choices = try choices(company: company.id, tx)
      // The newest own version may be installed and not active yet.
      needed.formUnion(try bases(of: type, for: company.id, tx).keys.max().map { [$0] } ?? [])
      guard let choice = choices.versions[type] else {
        needed.formUnion(try versions(of: type, for: nil, tx).prefix(1))
        continue
      }
      needed.formUnion([choice.version, choice.next ?? choice.version])
    }
    return try tx.rows(
      "select v from core.drop_versions(\(type), \(needed.map(Int32.init(clamping:)))) v order by 1",
      Int.self
    )
  }

  /// Increases the workflow revision behind the gate. A unit of work that decided under the previous revision
  /// then fails and can be repeated.
  private static func bump(company: UUID, _ tx: Transaction) throws {
    try tx.execute(FeedWriter.gate(company: company))
    try tx.execute(
      "update core.company c set workflow_revision = c.workflow_revision + 1 where c.id = \(company)"
    )
  }
}
