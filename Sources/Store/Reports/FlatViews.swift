internal import Domain
internal import Postgres
internal import Secrets

/// The flat views of all installed types, one for each type that is not private to its owners.
///
/// A view is named `v1_` and the type's word. If another report or type has this name, the app's name comes between.
/// A name, once given, stays.
enum FlatViews {
  private struct Installed {
    let subject: FlatView.Subject
    let name: String?
    let hash: [UInt8]?
    let exists: Bool

    var type: String { subject.definition.name }
    /// Reports never show records that are private to their owners.
    var isReported: Bool { subject.definition.scope == .company }
  }

  /// Drops the flat views that read tables of an app, also those of other apps, and those whose name the app wants for a
  /// report of its own. ``write(_:)`` creates them again.
  ///
  /// - Throws: `still_referenced` if a view outside the schema `report` reads one of them.
  static func drop(of manifest: AppManifest, _ tx: Transaction) throws {
    let names = try all(tx).filter { installed in
      let definition = installed.subject.definition
      return definition.app == manifest.app
        || definition.references.contains { $0.target.hasPrefix("\(manifest.app).") }
        || installed.name.map(manifest.reportViews.contains) == true
    }.filter(\.exists).compactMap(\.name)
    try drop(names, tx)
  }

  /// Creates the flat views that are missing or that differ from the manifests and tables, and gives the reporting logins
  /// their rights on them.
  static func write(_ tx: Transaction) throws {
    let types = try all(tx)
    var taken = Set(
      try tx.rows(
        """
        select c.relname::text from pg_class c where c.relnamespace = 'report'::regnamespace
        union
        select r.view_name from core.report r
        """,
        String.self
      )
    ).subtracting(types.filter(\.exists).compactMap(\.name))
    let catalogue = Dictionary(types.map { ($0.type, $0.subject) }, uniquingKeysWith: { first, _ in first })
    let reserved = try reserved(types, tx)
    // The types that have a name keep it, before others choose.
    for installed in types.filter({ $0.name != nil }) + types.filter({ $0.name == nil }) {
      guard installed.isReported else {
        if let name = installed.name { try forget(installed.type, name, tx) }
        continue
      }
      let name = try Self.name(of: installed, besides: taken)
      taken.insert(name)
      let view = FlatView(installed.subject, named: name, in: catalogue, reserved: reserved)
      let statements = view.statements
      let hash = SHA256.hash(statements.joined(separator: "\n"))
      guard !installed.exists || installed.hash != hash || installed.name != name else { continue }
      if installed.exists, let old = installed.name { try drop([old], tx) }
      for statement in statements { try tx.execute(SQL(trusted: statement)) }
      try tx.execute("select core.attach_report(format('report.%I', \(name)::text)::regclass)")
      try tx.execute(
        "update core.record_type set flat_view = \(name), flat_digest = \(hash) where name = \(installed.type)"
      )
    }
  }

  private static func name(of installed: Installed, besides taken: Set<String>) throws -> String {
    let definition = installed.subject.definition
    let word = definition.name.dropFirst(definition.app.count + 1)
    // PostgreSQL cuts longer names.
    let names = [installed.name, "v1_\(word)", "v1_\(definition.app)_\(word)"].compactMap {
      $0.map { String($0.prefix(63)) }
    }
    if let name = names.first(where: { !taken.contains($0) }) { return name }
    throw AppRefusal.error(
      .invalidManifest,
      app: definition.app,
      ManifestDiagnostic(
        .duplicateName,
        "types.\(definition.name)",
        "other reports have the names \(names.joined(separator: " and ")) of the type's view in the schema report",
        "rename the type, or the report"
      )
    )
  }

  private static func drop(_ names: [String], _ tx: Transaction) throws {
    guard !names.isEmpty else { return }
    do {
      let views = names.map { "\(identifier: "report", $0)" as SQL }
      try tx.execute("drop view \(SQL.joined(views, separator: ", "))")
    } catch {
      guard error.sqlState?.rawValue == "2BP01" else { throw error }
      throw DomainError(
        .stillReferenced,
        "views outside the schema report read views of it: \(error.message)",
        hint: "drop them, and create them again afterwards: every installation replaces these views"
      )
    }
  }

  private static func forget(_ type: String, _ name: String, _ tx: Transaction) throws {
    try tx.execute("drop view if exists report.\(identifier: name)")
    try tx.execute("update core.record_type set flat_view = null, flat_digest = null where name = \(type)")
  }

  /// Returns the words among the columns of the types that PostgreSQL would read as something else.
  private static func reserved(_ types: [Installed], _ tx: Transaction) throws -> Set<String> {
    let words = types.flatMap { type in
      type.subject.definition.references.map(\.column).filter { $0.hasSuffix("_id") }.map {
        String($0.dropLast(3))
      }
    }
    return Set(
      try tx.rows("select w from unnest(\(words)) w where quote_ident(w) <> w", String.self)
    )
  }

  private static func all(_ tx: Transaction) throws -> [Installed] {
    let columns = try tx.rows(
      """
      select t.name, a.attname::text, format_type(a.atttypid, null), col_description(a.attrelid, a.attnum),
        exists (
          select from pg_attribute s
          where s.attrelid = to_regclass(format('%I.%I', t.view_schema, t.view_name)) and s.attname = a.attname
        ),
        a.attgenerated <> ''
      from core.record_type t
      join pg_attribute a on a.attrelid = to_regclass(format('%I.%I', t.table_schema, t.table_name))
        and a.attnum > 0 and not a.attisdropped
      order by t.name, a.attnum
      """,
      String.self,
      String.self,
      String.self,
      String?.self,
      Bool.self,
      Bool.self
    )
    let sources = Dictionary(grouping: columns, by: \.0).mapValues { rows in
      rows.map {
        FlatView.Source(name: $0.1, type: $0.2, comment: $0.3, isShown: $0.4, isGenerated: $0.5)
      }
    }
    return try tx.rows(
      """
      select t.definition, t.flat_view, t.flat_digest, to_regclass('report.' || quote_ident(t.flat_view)) is not null
      from core.record_type t
      order by t.name
      """,
      JSON.self,
      String?.self,
      [UInt8]?.self,
      Bool.self
    ).map { definition, name, hash, exists in
      let definition = try RecordTypeDefinition(name: nil, from: JSONValueDecoder(definition.value(), at: []))
      return Installed(
        subject: FlatView.Subject(definition: definition, columns: sources[definition.name] ?? []),
        name: name,
        hash: hash,
        exists: exists
      )
    }
  }
}
