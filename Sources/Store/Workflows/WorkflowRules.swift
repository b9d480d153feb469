package import Domain
package import Postgres

/// The one set of rules about a workflow file, for the check of a file, the installation of a company's own version, and the
/// upgrade of an app whose workflow has own versions.
package enum WorkflowRules {
  /// Returns the findings about an own version that need no database; nil if the file is none: its app is not bundled, or it
  /// is the app's version itself, or a later one.
  package static func findings(aboutOwn definition: WorkflowDefinition) throws -> [ManifestDiagnostic]? {
    guard Installation.embeddedApps.contains(definition.app) else { return nil }
    let package = try AppPackage.embedded(definition.app)
    guard let base = package.manifest.workflow(definition.name), base.version == definition.version,
      base != definition
    else { return nil }
    return package.manifest.findings(aboutOwn: definition, madeFrom: base, texts: package.namingTexts)
  }

  /// Returns the findings about an own version in a database.
  ///
  /// - Parameters:
  ///   - base: the version of the app from which it was made.
  ///   - manifest: the app's manifest, as installed or as it is about to be.
  package static func findings(
    aboutOwn definition: WorkflowDefinition,
    madeFrom base: WorkflowDefinition,
    of manifest: AppManifest,
    _ tx: Transaction
  ) throws -> [ManifestDiagnostic] {
    guard let type = manifest.types.first(where: { $0.workflow == definition.name }) else { return [] }
    var context = ManifestContext()
    context.relations = [
      type.table: Set(try tx.rows(TypeCatalogue.columnQuery(type.table), as: Column.self).map(\.name)),
      type.view: Set(try tx.rows(TypeCatalogue.columnQuery(type.view), as: Column.self).map(\.name)),
    ]
    let found = manifest.findings(
      aboutOwn: definition,
      madeFrom: base,
      in: context,
      texts: try texts(of: manifest, tx)
    )
    guard found.isEmpty else { return found }
    return try GuardParser.findings(in: definition, tx).map(\.ofManifest)
      + StatusCheck(manifest: manifest.replacing(definition)).findings(tx).filter {
        $0.path.hasPrefix("workflows.\(definition.name).")
      }
  }

  /// Returns the definitions of an app's views and functions, and of its reports.
  package static func texts(of manifest: AppManifest, _ tx: Transaction) throws -> [NamingText] {
    try tx.rows(
      """
      select format('%s.%s', n.nspname, c.relname), pg_get_viewdef(c.oid)
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'v'
        and (n.nspname = \(manifest.schema) or n.nspname = 'report' and c.relname = any (\(manifest.reportViews)))
      union all
      select format('%s.%s()', n.nspname, p.proname), coalesce(pg_get_function_sqlbody(p.oid), p.prosrc)
      from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = \(manifest.schema)
      order by 1
      """,
      String.self,
      String.self
    ).map { NamingText(place: $0.0, text: $0.1) }
  }
}

extension AppPackage {
  /// The app's views and functions, as texts that can name states.
  package var namingTexts: [NamingText] {
    routines.map { NamingText(place: $0.path, text: $0.statements[0].text) }
  }
}
