internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension CompanyImport {
  /// Requires the schema and the apps of the archive.
  static func requireSame(_ manifest: ArchiveManifest, _ tx: Transaction) throws {
    let installed = try ArchiveTable.apps(nil, tx)
    for app in manifest.apps where !installed.contains(app) {
      let here = installed.first { $0.name == app.name }.map { "version \($0.version)" } ?? "not installed"
      throw DomainError(
        .appVersion,
        "the archive has version \(app.version) of the app \(app.name), which is \(here) here",
        hint: "bring both installations to the same version, then export again"
      )
    }
    guard try ArchiveTable.schema(with: manifest.apps.map(\.name), tx) == manifest.schema else {
      throw DomainError(
        .appVersion,
        "the archive has another schema than this database",
        hint: "upgrade both installations to the same version of Fettle, then export again"
      )
    }
  }

  /// Requires that neither the company nor its short name is here.
  static func requireNew(_ company: UUID?, _ slug: String, _ tx: Transaction) throws {
    if let company,
      try tx.value("select exists (select from core.company c where c.id = \(company))", as: Bool.self)
    {
      throw DomainError(
        .alreadyExists,
        "this company is here already, or was erased here",
        hint: "import it once more with --new-ids and --slug"
      )
    }
    guard try CompanyStore.find(slug: slug, tx) == nil else {
      throw DomainError(
        .alreadyExists,
        "the company \(slug) exists already",
        hint: "choose another short name with --slug"
      )
    }
  }

  /// Requires that every member is a table that archives have, or one of the others.
  static func requireKnown(_ manifest: ArchiveManifest, _ tables: [ArchiveTable]) throws {
    let others = [ArchiveManifest.company, ArchiveManifest.people, ArchiveManifest.workflows]
    let known = Set(others + tables.filter { $0.reason == nil }.map { ArchiveManifest.member(of: $0.name) })
    for member in manifest.members where !known.contains(member.name) {
      throw ArchiveReader.fault("\(Quoted(member.name)) is no table of a company here")
    }
  }
}
