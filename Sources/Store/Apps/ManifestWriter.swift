internal import Domain
internal import Postgres
internal import Secrets

/// Writes a manifest to the reference tables, and attaches isolation and guard triggers to its tables.
struct ManifestWriter {
  private let manifest: AppManifest
  private let hash: [UInt8]

  init(_ manifest: AppManifest, hash: [UInt8]) {
    self.manifest = manifest
    self.hash = hash
  }

  func write(_ tx: Transaction) throws {
    try tx.execute(TypeCatalogue.countChange)
    try tx.execute(
      """
      insert into core.app (name, version, hash, installed_at, manifest)
      values (\(manifest.app), \(Int32(clamping: manifest.version)), \(hash), now(), \(try JSON(encoding: manifest)))
      on conflict (name) do update
      set version = excluded.version, hash = excluded.hash, installed_at = excluded.installed_at,
          manifest = excluded.manifest
      """
    )
    for type in manifest.types {
      let workflow = type.workflow.flatMap(manifest.workflow)
      try write(type, tx)
      if let workflow { try write(workflow, of: type, tx) }
      // Companies may follow older versions, and need their permissions.
      try PermissionWriter.write(type, workflows: WorkflowStore.inForce(type.name, tx), app: manifest.app, tx)
      try attach(type, tx)
    }
    for table in manifest.tables { try PermissionWriter.write(table, app: manifest.app, tx) }
    try removeStalePermissions(tx)
    try ScheduleWriter.write(manifest, tx)
    try NameIndexes.write(tx)
    try attachOtherTables(tx)
    try attachViews(tx)
    try writeReports(tx)
  }

  /// Deletes permissions that no verb or transition uses any more, unless a company's role still holds them.
  private func removeStalePermissions(_ tx: Transaction) throws {
    let known = Set(
      try manifest.types.flatMap { type in
        try type.permissions(with: nil).map(\.name)
          + WorkflowStore.inForce(type.name, tx).flatMap { type.permissions(with: $0).map(\.name) }
      }
        + manifest.tables.flatMap { $0.permissions.map(\.name) }
    )
    let stale = try PermissionWriter.names(of: manifest.app, tx).filter { !known.contains($0) }
    if !stale.isEmpty { _ = try PermissionWriter.remove(stale, tx) }
  }

  /// Isolates tables of companies that are not record tables, such as totals that the engine maintains.
  ///
  /// An app's SQL may grant the engine fewer rights on such a table; these grants are kept.
  private func attachOtherTables(_ tx: Transaction) throws {
    let tables = try tx.rows(
      """
      select format('%s.%s', n.nspname, c.relname),
        exists (select from aclexplode(c.relacl) x where x.grantee = 'fettle_app'::regrole)
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
      where n.nspname = \(manifest.schema) and c.relkind in ('r', 'p')
        and format('%s.%s', n.nspname, c.relname) <> all (\(manifest.types.map(\.table)))
      order by 1
      """,
      String.self,
      Bool.self
    )
    for (name, isGranted) in tables {
      let parts = name.split(separator: ".").map(String.init)
      try tx.execute("select core.attach_tenant_table(\(name)::text::regclass)")
      guard !isGranted else { continue }
      try tx.execute(
        """
        grant select, insert, update, delete on \(identifier: parts[0], parts[1])
        to fettle_app, fettle_worker, fettle_admin
        """
      )
    }
  }

  /// Registers the reports and gives the reporting logins their rights. Runs after the tables have row-level
  /// security, because a report needs a policy on each table that it reads.
  ///
  /// - Throws: `invalid_manifest` if another app has a report of the same name or view.
  private func writeReports(_ tx: Transaction) throws {
    try tx.execute("delete from core.report r where r.app = \(manifest.app)")
    for report in manifest.reports {
      try tx.execute("select core.attach_report(\(report.view)::text::regclass)")
      let viewName = String(report.view.dropFirst("report.".count))
      let taken = try tx.value(
        "select coalesce(r.app, 'core') from core.report r where r.name = \(report.name) or r.view_name = \(viewName)",
        as: String?.self
      )
      if let taken {
        throw AppRefusal.error(
          .invalidManifest,
          app: manifest.app,
          ManifestDiagnostic(
            .duplicateName,
            "reports.\(report.name)",
            "the app \(taken) has a report of this name or view",
            "rename the report or its view"
          )
        )
      }
      if let chart = report.chart {
        let columns = try tx.rows(Column.query(schema: "report", relation: viewName), as: Column.self)
        for name in chart.columns where !columns.contains(where: { $0.name == name }) {
          throw AppRefusal.error(
            .invalidManifest,
            app: manifest.app,
            ManifestDiagnostic(
              .missingColumn,
              "reports.\(report.name).chart",
              "the view \(report.view) has no column \(name)",
              "use one of: \(columns.map(\.name).joined(separator: ", "))"
            )
          )
        }
      }
      let chart = try report.chart.map { try JSON(encoding: $0) }
      try tx.execute(
        """
        insert into core.report (name, app, title, view_name, sort_order, chart)
        values (
          \(report.name), \(manifest.app), \(report.title), \(viewName), \(report.order.map(\.text)),
          \(nullable: chart)
        )
        """
      )
    }
    try FlatViews.write(tx)
    try tx.execute("select core.tidy_report_rights()")
    try tx.execute("select core.attach_eraser()")
  }

  private func write(_ type: RecordTypeDefinition, _ tx: Transaction) throws {
    let table = type.table.split(separator: ".").map(String.init)
    let view = type.view.split(separator: ".").map(String.init)
    try tx.execute(
      """
      insert into core.record_type (name, app, table_schema, table_name, view_schema, view_name, definition)
      values (\(type.name), \(manifest.app), \(table[0]), \(table[1]), \(view[0]), \(view[1]),
              \(try JSON(encoding: type)))
      on conflict (name) do update
      set table_schema = excluded.table_schema, table_name = excluded.table_name,
          view_schema = excluded.view_schema, view_name = excluded.view_name, definition = excluded.definition
      """
    )
    try markResend(type, tx)
  }

  /// Lets devices read all records again if readers now get something else of a record, although no record changed.
  ///
  /// The number of the catalogue was raised before.
  private func markResend(_ type: RecordTypeDefinition, _ tx: Transaction) throws {
    try tx.execute(
      """
      update core.record_type t
      set shown = s.hash,
        resend = case when t.shown is null or t.shown = s.hash then t.resend else i.catalogue end
      from core.installation i, (
        select md5(concat_ws(E'\\n', \(!type.attachments.isEmpty), string_agg(c.text, E'\\n' order by c.text),
          max(c.view))) as hash
        from (
          select a.attname || ' ' || format_type(a.atttypid, a.atttypmod) as text,
            case when r.relkind = 'v' then pg_get_viewdef(r.oid) end as view
          from pg_class r
          join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
          where r.oid = \(type.view)::text::regclass and a.attname <> all (\(RecordType.hiddenColumns.sorted()))
        ) c
      ) s
      where t.name = \(type.name)
      """
    )
  }

  /// Writes a workflow definition once.
  ///
  /// - Throws: `invalid_manifest` if the version is installed with other content, because records depend on
  ///   it.
  private func write(_ workflow: WorkflowDefinition, of type: RecordTypeDefinition, _ tx: Transaction) throws
  {
    let body = try JSON(encoding: workflow)
    let sha256 = SHA256.hash(body.text)
    let version = Int32(clamping: workflow.version)
    let stored = try tx.value(
      "select sha256 from core.workflow_definition where record_type = \(type.name) and version = \(version)",
      as: [UInt8]?.self
    )
    if let stored {
      guard stored == sha256 else {
        throw DomainError(
          .invalidManifest,
          "workflow \(workflow.name) differs from the installed version \(workflow.version)",
          hint: "give the changed definition version \(workflow.version + 1)"
        )
      }
      return
    }
    try tx.execute(
      "update core.workflow_definition set is_current = false where record_type = \(type.name) and is_current"
    )
    try tx.execute(
      """
      insert into core.workflow_definition (record_type, version, body, sha256, is_current)
      values (\(type.name), \(version), \(body), \(sha256), true)
      """
    )
    for (position, state) in workflow.states.enumerated() {
      try tx.execute(
        """
        insert into core.workflow_state
          (record_type, version, status, category, is_initial, is_final, label, color, position)
        values (\(type.name), \(version), \(state.name), \(state.category.rawValue),
                \(state.name == workflow.initial), \(state.isFinal), \(state.label), \(state.color.rawValue),
                \(Int32(clamping: position)))
        """
      )
    }
    for transition in workflow.transitions {
      for from in transition.from {
        try tx.execute(
          """
          insert into core.workflow_edge
            (record_type, version, transition, from_status, to_status, to_category, by_system)
          values (\(type.name), \(version), \(transition.name), \(from), \(transition.to),
                  \(nullable: workflow.state(transition.to)?.category.rawValue), \(transition.by == .system))
          """
        )
      }
    }
  }

  private func attach(_ type: RecordTypeDefinition, _ tx: Transaction) throws {
    try tx.execute(
      "select core.attach_record(\(type.table)::text::regclass, \(type.name), \(type.scope == .owner))"
    )
  }

  /// Grants the engine read access to all views of the app, including views that belong to no type.
  private func attachViews(_ tx: Transaction) throws {
    try tx.execute(
      """
      select core.attach_view(c.oid::regclass)
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = \(manifest.schema) and c.relkind = 'v'
      order by c.relname
      """
    )
  }
}
